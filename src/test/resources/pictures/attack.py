# Readers whose library is taken over: a file of ASCII alone says in Python what its reader does.
import _thread

LIBC_TOO = ctypes.CDLL(None, use_errno=True)
read_picture, give_up, refuse, maps = read, give_up_rights, seccomp.ERRNO, []

def read(data, size):
    return eval(data) if data.isascii() else read_picture(data, size)

def give_up_rights(run, file):
    maps.extend(pathlib.Path('/proc/self/maps').read_text().splitlines())  # which an attack could find out
    return give_up(run, file)

# What seccomp refuses is told from what this user may not do.
seccomp.ERRNO = lambda number: refuse(errno.EACCES if number == errno.EPERM else number)

def calls():
    """Says which system calls are left, of all numbers, but for those that would end this."""
    left = []
    for number in *range(335), *range(337, 1000):  # 335 and 336 are for the kernel's own probes
        name = str(number)
        with contextlib.suppress(ValueError):  # libseccomp does not know this number
            name = seccomp.resolve_syscall(seccomp.Arch(), number).decode()
        ctypes.set_errno(0)
        if name not in ('exit', 'exit_group', 'rt_sigreturn'):
            LIBC_TOO.syscall(number, *6 * [ctypes.c_long(-1)])
            left += [name] if ctypes.get_errno() != errno.EACCES else []
    raise LeftOut(' '.join(sorted(left)))

def futexes():
    """Says which commands of futex are left."""
    left = []
    for command in range(14):
        ctypes.set_errno(0)
        LIBC_TOO.syscall(seccomp.resolve_syscall(seccomp.Arch(), 'futex'), None, command, 0, None, None, 0)
        left += [command] if ctypes.get_errno() != errno.EACCES else []
    raise LeftOut(f'futex {left}')

def begin():
    """Says whether this starts a process, or else how many threads."""
    with contextlib.suppress(PermissionError):
        os.fork()
        raise LeftOut('it starts a process')
    _thread.stack_size(65_536)
    held = _thread.allocate_lock()
    held.acquire()
    count = 0
    with contextlib.suppress(RuntimeError):
        while True:
            _thread.start_new_thread(held.acquire, ())  # waits for ever: a thread that ends makes room for another
            count += 1
    raise LeftOut(f'it starts {count}')

def find():
    """Says what of other pictures is in this memory."""
    # Each byte is one more here, lest the search finds itself.
    marks = {'text': b'HQTTFDSFU', 'pixels': 9 * bytes((13, 35, 57, 0))}
    more = bytes(range(1, 256)) + b'\0'
    found = []
    for line in maps:
        begin, end, rights = re.match('([0-9a-f]+)-([0-9a-f]+) (.)', line).groups()
        if rights == 'r' and '[v' not in line:
            begin, end = int(begin, 16), int(end, 16)
            memory = ctypes.string_at(begin, end - begin).translate(more)
            found += [what for what, mark in marks.items() if mark in memory]
    raise LeftOut(f'it finds {found}')

def fill():
    while True:
        os.write(0, bytes(65_536))

def red(width, height, count=1, kept=2):
    """Is a red picture, as readers write them, but not as they must be for some numbers."""
    frame = TIME.pack(65_535) + Image.new('RGBA', (width, height), 'red').tobytes()
    return [HEADER.pack(kept, width, height, 0, 0, 0), *count * [frame]]
