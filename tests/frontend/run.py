"""run.py -- the front end and the command line; run.sh calls it"""
import os

import command
import common
import lexer
import robust

if not os.access(common.TILEC, os.X_OK):
    print("frontend: %s is not built\n0 passed, 0 failed, 1 skipped" % common.TILEC)
else:
    lexer.run()
    command.run()
    robust.run()
    common.finish()
