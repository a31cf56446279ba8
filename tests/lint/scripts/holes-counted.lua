local parts = {'a', nil, 'c'}
return #parts
