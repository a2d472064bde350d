"""The messages of LoLA, the middleware of the real Nao: sensors out, commands in, as MessagePack without framing."""
