"""Floor 6: git objects, index, refs, hook input, hooks. All by git plumbing, never a library."""
