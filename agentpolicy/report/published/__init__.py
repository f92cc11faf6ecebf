"""The published shape of every JSON answer: what other programs may rely on."""
