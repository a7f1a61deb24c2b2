"""cases.py -- every kernel of the suite: what it is called with, and what it should give"""
import cases_axes                                             # noqa: F401
import cases_element                                          # noqa: F401  (each fills table.CASES)
import cases_atomic                                           # noqa: F401
import cases_attention                                        # noqa: F401
import cases_family                                           # noqa: F401
import cases_found                                            # noqa: F401
import cases_function                                         # noqa: F401
import cases_gather                                           # noqa: F401
import cases_made                                             # noqa: F401
import cases_mixed                                            # noqa: F401
import cases_mma                                              # noqa: F401
import cases_mma_tensor                                       # noqa: F401
import cases_moe                                              # noqa: F401
import cases_move                                             # noqa: F401
import cases_own                                              # noqa: F401
import cases_order                                            # noqa: F401
import cases_padded                                           # noqa: F401
import cases_reduce                                           # noqa: F401
import cases_round                                            # noqa: F401
import cases_scan                                             # noqa: F401
import cases_shape                                            # noqa: F401
import cases_std                                              # noqa: F401
import cases_literals                                         # noqa: F401
import cases_tables                                           # noqa: F401
import cases_traps                                            # noqa: F401
import cases_variable                                          # noqa: F401
import cases_view                                             # noqa: F401
