"""Floor 3: may this change land?"""
