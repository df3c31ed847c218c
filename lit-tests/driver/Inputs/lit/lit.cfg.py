import os

lit_config.load_config(config, os.environ["RELAYOPT_LIT"])
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ["RELAYOPT_LIT_OUTPUT"]
