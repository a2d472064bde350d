"""The hostile-client suite: attacks on a server of the classic protocol while a good client watches."""
