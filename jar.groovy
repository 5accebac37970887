// Makes target/avatar.jar of the class in target/classes; pom.xml calls it. JDK 17 and 25 make the same bytes.
// It says how many bytes the jar has, and fails above 2,048.
import com.googlecode.pngtastic.core.processing.zopfli.*
import java.nio.file.*
import java.time.LocalDateTime
import java.util.zip.CRC32
import org.apache.commons.compress.archivers.zip.*

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

// 2. Shrink by proguard.pro.
def configuration = new proguard.Configuration()
def places = new Properties()
places.setProperty('target', target.toString())
new proguard.ConfigurationParser(new File(project.basedir, 'proguard.pro'), places).parse(configuration)
new proguard.ProGuard(configuration).execute()
byte[] program = Files.readAllBytes(target.resolve('shrunk/a.class'))
program[7] = 50 // the last class file version that may lack stack maps (JVMS 4.10.2); no invokedynamic yet

// 3. Two files, no folders, and Zopfli's deflate: 130 bytes less than zip -9. A PNG optimizer has Zopfli in Java.
// java needs no Manifest-Version, which would take 20 bytes.
new ZipArchiveOutputStream(target.resolve('avatar.jar').toFile()).withCloseable { jar ->
  ['META-INF/MANIFEST.MF': 'Main-Class: a\n'.bytes, 'a.class': program].each { name, bytes ->
    def deflated = new ByteArrayOutputStream()
    def zopfli = new Options(Options.OutputFormat.DEFLATE, Options.BlockSplitting.FIRST, 1000)
    new Zopfli(8192).compress(zopfli, bytes, deflated)
    boolean stored = deflated.size() >= bytes.length
    byte[] content = stored ? bytes : deflated.toByteArray()
    def crc = new CRC32()
    crc.update(bytes)
    def entry = new ZipArchiveEntry(name)
    entry.method = stored ? ZipArchiveEntry.STORED : ZipArchiveEntry.DEFLATED
    entry.size = bytes.length
    entry.compressedSize = content.length
    entry.crc = crc.value
    entry.timeLocal = LocalDateTime.of(1980, 1, 1, 0, 0) // the first that a zip can name, in each build
    jar.addRawArchiveEntry(entry, new ByteArrayInputStream(content))
  }
}
long size = Files.size(target.resolve('avatar.jar'))
println "target/avatar.jar has $size of 2048 bytes"
if (size > 2048) throw new IllegalStateException("target/avatar.jar has ${size - 2048} bytes too many")
project.artifact.file = target.resolve('avatar.jar').toFile() // what mvn install installs
