local ids = {ARGV[1], ARGV[2], ARGV[3]}
ids[2] = nil
return #ids
