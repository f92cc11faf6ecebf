"""Bytes become trees with positions, trees become documents: the one strict reader."""
