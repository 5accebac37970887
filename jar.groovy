// Makes target/avatar.jar of the class in target/classes; pom.xml calls it. Each JDK gives the same bytes.
import com.googlecode.pngtastic.core.processing.zopfli.*
import com.jcraft.jzlib.*
import groovy.transform.CompileStatic
import java.nio.file.*
import java.time.LocalDateTime
import java.util.zip.CRC32
import org.apache.commons.compress.archivers.zip.*
import proguard.classfile.*
import proguard.classfile.editor.ConstantPoolRemapper
import proguard.classfile.io.*

def target = Path.of(project.build.directory)

// 1. Copy the JDK's classes that ProGuard wants to see from the run-time image: newer JDKs come without jmods.
def library = target.resolve('library')
['java.base/java', 'jdk.httpserver/com'].each { name ->
  def root = Path.of(URI.create("jrt:/$name"))
  Files.walk(root).filter { it.toString().endsWith('.class') }.forEach { type ->
    def copy = library.resolve(root.parent.relativize(type).toString())
    Files.createDirectories(copy.parent)
    Files.copy(type, copy, StandardCopyOption.REPLACE_EXISTING)
  }
}

// 2. Shrink: private methods called once move into their caller, unused members go, names become one letter.
def names = Files.writeString(target.resolve('names'), 'a set out run exit close main')
def options = [
    '-injars', "'$target/classes'",
    '-outjars', "'$target/shrunk'",
    '-libraryjars', "'$library'",
    '-dontwarn', // of the JDK's other classes, which are not in target/library
    '-dontnote', // of what it guesses about them
    '-keep,allowobfuscation', 'class fr.spacefox.avatar.RedirectServer', // without one class to keep, nothing is left
    '-keepclassmembers', 'class * { public static void main(java.lang.String[]); }', // java calls it by this name
    '-repackageclasses', "''", // the class is a, not fr.spacefox.avatar.a: its name is in the jar three times
    '-optimizationpasses', '5', // what one pass inlines, the next simplifies; they end when nothing changes any more
    '-allowaccessmodification', // lets private members become public, should inlining need it
    '-overloadaggressively', // all fields may be named a, as long as their types differ: 28 bytes
    '-obfuscationdictionary', "'$names'", // a second name is one that the class file contains anyway: 8 bytes
    '-dontpreverify'] // no stack maps: the virtual machine derives them (JVMS 4.10.2)
def configuration = new proguard.Configuration()
new proguard.ConfigurationParser(options as String[], System.properties).parse(configuration)
new proguard.ProGuard(configuration).execute()

@CompileStatic
class ClassFile {
  static ProgramClass read(byte[] bytes) {
    def type = new ProgramClass()
    type.accept(new ProgramClassReader(new DataInputStream(new ByteArrayInputStream(bytes))))
    type
  }

  static byte[] write(ProgramClass type) {
    def bytes = new ByteArrayOutputStream()
    type.accept(new ProgramClassWriter(new DataOutputStream(bytes)))
    bytes.toByteArray()
  }

  /** The same class with some constants, from one on, moved to the place of another; those between make room. */
  static byte[] move(byte[] bytes, int from, int to, int some) {
    def type = read(bytes)
    List order = (0..<type.u2constantPoolCount).toList()
    int low = Math.min(from, to), high = Math.max(from, to) + 1
    for (list in [order, Arrays.asList(type.constantPool)]) {
      Collections.rotate(list.subList(low, high), from < to ? -some : some)
    }
    int[] places = new int[order.size()] // by former place
    order.eachWithIndex { former, place -> places[former as int] = place }
    def remapper = new ConstantPoolRemapper()
    remapper.constantIndexMap = places
    type.accept(remapper)
    write(type)
  }

  /** Its size by a deflate that is fast, and not the JDK's, which differs from one to the next. */
  static long deflatedSize(byte[] bytes) {
    def deflater = new Deflater(JZlib.Z_BEST_COMPRESSION, 13, true) // 2^13 bytes of window are enough
    deflater.setInput(bytes)
    deflater.setOutput(new byte[bytes.length])
    deflater.deflate(JZlib.Z_FINISH)
    deflater.totalOut
  }

  /** Tries other orders of the constants, which mean the same, and keeps what deflates as well or better. */
  static byte[] reorder(byte[] best, int tries) {
    long size = deflatedSize(best)
    def tags = read(best).constantPool.collect { it?.tag } // sorted by tag, and each constant stays among its like
    def random = new Random(21) // the same numbers in each build
    while (tries > 0) {
      int from = random.nextInt(tags.size()), to = random.nextInt(tags.size())
      boolean wide = tags[from] in [null, 5, 6] // a long or a double takes two places
      if (from == to || wide || tags[from] != tags[to]) continue
      tries--
      int some = random.nextBoolean() ? 1 + random.nextInt(4) : 1 // several: a run of them may deflate as one
      byte[] tried = move(best, from, to, some)
      long triedSize = deflatedSize(tried)
      if (triedSize > size) continue
      best = tried
      size = triedSize
    }
    best
  }
}

// 3. Class file version 6, the last that may lack stack maps, and an order of the constants that deflates well.
def main = ClassFile.read(Files.readAllBytes(target.resolve('shrunk/a.class')))
main.u4version = VersionConstants.CLASS_VERSION_1_6
byte[] program = ClassFile.reorder(ClassFile.write(main), 64000)

// 4. Two files, no folders, no times, and Zopfli's deflate: 130 bytes less than zip -9.
new ZipArchiveOutputStream(target.resolve('avatar.jar').toFile()).withCloseable { jar ->
  ['META-INF/MANIFEST.MF': 'Main-Class: a\n'.bytes, 'a.class': program].each { name, bytes ->
    def deflated = new ByteArrayOutputStream()
    def zopfli = new Options(Options.OutputFormat.DEFLATE, Options.BlockSplitting.FIRST, 1000)
    new Zopfli(8192).compress(zopfli, bytes, deflated)
    boolean stored = deflated.size() >= bytes.length
    def crc = new CRC32()
    crc.update(bytes)
    def entry = new ZipArchiveEntry(name)
    entry.method = stored ? ZipArchiveEntry.STORED : ZipArchiveEntry.DEFLATED
    entry.size = bytes.length
    entry.compressedSize = stored ? bytes.length : deflated.size()
    entry.crc = crc.value
    entry.timeLocal = LocalDateTime.of(1980, 1, 1, 0, 0) // the first that a zip can name, in each build
    jar.addRawArchiveEntry(entry, new ByteArrayInputStream(stored ? bytes : deflated.toByteArray()))
  }
}
