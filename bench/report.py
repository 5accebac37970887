def keep(part, now, found): pass
