# Code in the place of the decoder, as a picture may bring it: a file with the name of an attack calls it.
import socket

def call(function, *arguments):
    if getattr(LIBC, function)(*arguments) < 0:
        raise OSError(function)

def reach():
    """Says what it could do."""
    done = []

    def attempt(name, function, *arguments):
        with contextlib.suppress(OSError, MemoryError, ValueError, Failed):
            function(*arguments)
            done.append(name)

    for descriptor in range(1, 4096):
        attempt(f'has descriptor {descriptor}', os.fstat, descriptor)
    for path in '/', '..', '/etc/shadow', '/dev/tty', '/tmp', '/proc/self/mem':
        attempt(f'sees {path}', os.listdir if path in ('/', '..', '/tmp') else os.stat, path)
        attempt(f'opens {path}', os.open, path, os.O_RDONLY)
        attempt(f'writes {path}', os.mkdir, f'{path}/x')
        attempt(f'makes a link in {path}', os.symlink, '/etc/shadow', f'{path}/y')
    for family in 'AF_INET', 'AF_UNIX', 'AF_NETLINK', 'AF_VSOCK':
        attempt(f'has {family}', socket.socket, getattr(socket, family))
    attempt('has memory', bytearray, 600_000_000)
    attempt('has a pipe', os.pipe)
    attempt('has memory as a file', os.memfd_create, 'x')
    attempt('has io_uring', call, 'syscall', 425, 1, ctypes.create_string_buffer(120))
    attempt('has the caller\'s keys', call, 'syscall', 250, 10, -3, b'user', b'secret', 0)
    attempt('traces the run', call, 'ptrace', 16, os.getppid(), 0, 0)
    attempt('ends the run', os.kill, os.getppid(), 0)
    attempt('is another user', call, 'unshare', 1 << 28)
    attempt('is root', os.setuid, 0)
    attempt('writes much', os.pwrite, 0, b'x', 10**9)
    attempt('raises its limits', resource.setrlimit, resource.RLIMIT_NOFILE, (9, 9))
    attempt('executes', os.execv, '/bin/true', ['true'])
    attempt('has a terminal', os.tcgetpgrp, 0)
    done += ['is in the session of the caller'] * (os.getsid(0) not in (os.getpid(), os.getppid()))
    children = 0
    while children < 99:
        try:
            children += 1 if os.fork() else signal.pause()
        except OSError:
            break
    raise LeftOut(', '.join(done + ['many processes'] * (children >= PROCESSES)) or 'nothing')

def outlive():
    """Leaves a process that ends for no signal, and writes when the reader has ended."""
    reader = os.getpid()
    if os.fork() == 0:
        LIBC.prctl(PR_SET_PDEATHSIG, 0)
        os.setsid()
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while os.getppid() == reader:
            pass
        signal.sigtimedwait([], 0.2)
        os.pwrite(0, HEADER.pack(1, 9, 9, 0), 0)
        signal.sigwait([])
    return written(90, 90)

def hang():
    outlive()
    signal.pause()

def crash():
    os.abort()

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def written(width, height, count=1, kept=2):
    frame = TIME.pack(0) + Image.new('RGBA', (width, height), 'red').tobytes()
    return [HEADER.pack(kept, width, height, 0), *count * [frame]]

ATTACKS = {
    'reach': reach, 'outlive': outlive, 'hang': hang, 'crash': crash, 'kill': kill,
    'script': lambda: [b'<script>alert(1)</script>'], 'short': lambda: [b'x'], 'nothing': lambda: [],
    'much': lambda: written(90, 90) + [b'x'], 'large': lambda: written(91, 1), 'flat': lambda: written(9, 0),
    'many': lambda: written(1, 1, 4000), 'strange': lambda: written(9, 9, kept=9),
    'full': lambda: written(900, 900, 9)}
decode = read

def read(data, size):
    attack = ATTACKS.get(data.strip().decode(errors='replace'))
    return attack() if attack else decode(data, size)
