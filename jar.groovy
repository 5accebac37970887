// Makes target/avatar.jar of the class in target/classes; pom.xml calls it. JDK 17 and 25 make the same bytes.
import com.googlecode.pngtastic.core.processing.zopfli.*
import java.nio.file.*
import java.time.LocalDateTime
import java.util.zip.CRC32
import org.apache.commons.compress.archivers.zip.*
import static java.util.zip.ZipEntry.*

def target = Path.of(project.build.directory)

// 1. Copy the JDK's classes that ProGuard needs from the run-time image: newer JDKs come without jmods.
def library = target.resolve('library')
library.toFile().deleteDir() // else another JDK's classes would stay among them
['java.base/java', 'jdk.httpserver/com'].each { name ->
  def root = Path.of(URI.create("jrt:/$name"))
  Files.walk(root).filter { it.toString().endsWith('.class') }.forEach { type ->
    def copy = library.resolve(root.parent.relativize(type).toString())
    Files.createDirectories(copy.parent)
    Files.copy(type, copy)
  }
}

// 2. Shrink the class by proguard.pro.
def places = new Properties()
places.setProperty('target', target.toString())
def configuration = new proguard.Configuration()
new proguard.ConfigurationParser(new File(project.basedir, 'proguard.pro'), places).parse(configuration)
new proguard.ProGuard(configuration).execute()
byte[] program = Files.readAllBytes(target.resolve('shrunk/a.class'))
// HotSpot takes version 50 without stack maps (JVMS 4.10): 100 bytes. It lacks invokedynamic, which javac would use to
// join strings: hence stringConcat=inline in pom.xml.
program[7] = 50

// 3. Pack two files and no folders. Zopfli deflates to 130 bytes less than zip -9; a PNG optimizer has it in Java.
def deflated = new ByteArrayOutputStream()
def options = new Options(Options.OutputFormat.DEFLATE, Options.BlockSplitting.FIRST, 1000) // rounds: 100 take 5 more
new Zopfli(8192).compress(options, program, deflated)
byte[] manifest = 'Main-Class: a\n'.bytes // java needs no Manifest-Version, which would take 22 bytes
def jar = target.resolve('avatar.jar').toFile()
new ZipArchiveOutputStream(jar).withCloseable { zip ->
  def add = { String name, byte[] bytes, int method, byte[] packed ->
    def crc = new CRC32()
    crc.update(bytes)
    def entry = new ZipArchiveEntry(name)
    entry.method = method
    entry.size = bytes.length
    entry.compressedSize = packed.length
    entry.crc = crc.value
    entry.timeLocal = LocalDateTime.of(1980, 1, 1, 0, 0) // the first that a zip can name, in each build
    zip.addRawArchiveEntry(entry, new ByteArrayInputStream(packed))
  }
  add('META-INF/MANIFEST.MF', manifest, STORED, manifest)
  add('a.class', program, DEFLATED, deflated.toByteArray())
}
println "target/avatar.jar has ${jar.length()} of 2048 bytes"
assert jar.length() <= 2048
