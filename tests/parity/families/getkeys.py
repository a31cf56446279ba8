"""Which arguments are keys: COMMAND GETKEYS and GETKEYSANDFLAGS of every command with arguments that may mean something to it."""


WORDS = ["0", "1", "2", "3", "-1", "x", "a", "b", "c", "k", "", "STORE", "GET", "BY", "LIMIT", "KEYS", "STREAMS", "STOREDIST", "COUNT"]
WORDS += ["BLOCK", "NX", "EX", "SET", "INCRBY", "OVERFLOW", "WEIGHTS", "COPY", "AUTH", "#", "w*", "GROUP", "store", "streams", "USAGE", "FREQ"]
COMMANDS = {
    "7.0": """append bitcount bitfield bitfield_ro bitop bitpos blmove blmpop blpop brpop brpoplpush bzmpop bzpopmax bzpopmin copy decr decrby
        del dump eval eval_ro evalsha evalsha_ro exists expire expireat expiretime fcall fcall_ro geoadd geodist geohash geopos georadius
        georadius_ro georadiusbymember georadiusbymember_ro geosearch geosearchstore get getbit getdel getex getrange getset hdel hexists hget
        hgetall hincrby hincrbyfloat hkeys hlen hmget hmset hrandfield hscan hset hsetnx hstrlen hvals incr incrby incrbyfloat keys lcs lindex
        linsert llen lmove lmpop lpop lpos lpush lpushx lrange lrem lset ltrim mget migrate move mset msetnx object persist pexpire pexpireat
        pexpiretime pfadd pfcount pfdebug pfmerge ping psetex pttl publish randomkey rename renamenx restore rpop rpoplpush rpush rpushx sadd
        scan scard sdiff sdiffstore set setbit setex setnx setrange sinter sintercard sinterstore sismember smembers smismember smove sort
        sort_ro spop spublish srandmember srem sscan ssubscribe strlen substr sunion sunionstore touch ttl type unlink watch xack xadd xautoclaim
        xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim zadd zcard zcount zdiff zdiffstore zincrby zinter
        zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin zrandmember zrange zrangebylex zrangebyscore zrangestore zrank zrem
        zremrangebylex zremrangebyrank zremrangebyscore zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion zunionstore
        memory nosuch""".split()
}
COMMANDS["8.2"] = COMMANDS["7.0"] + "hexpire hpexpire httl hpersist hgetex hsetex hgetdel xdelex xackdel hpexpiretime".split()
SUBCOMMANDS = {
    "object": ["ENCODING", "FREQ", "HELP", "IDLETIME"],
    "memory": ["USAGE", "DOCTOR"],
    "xgroup": ["CREATE", "DESTROY", "SETID"],
    "xinfo": ["STREAM", "GROUPS"],
}


def sequence(rng, version, length):
    return [(0, command(rng, version)) for _ in range(length)]


def command(rng, version):
    name = rng.choice(COMMANDS[version])
    words = [rng.choice(SUBCOMMANDS[name])] if name in SUBCOMMANDS and rng.random() < 0.95 else []
    words += [rng.choice(WORDS) for _ in range(rng.randint(0, 7))]
    return ["COMMAND", rng.choice(["GETKEYS", "GETKEYSANDFLAGS"]), name, *words]
