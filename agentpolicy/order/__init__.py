"""Floor 2: is a change of policy tighter or looser?"""
