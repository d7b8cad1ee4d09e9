package dev.skipjack.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that code compiled against the last release runs with this one. */
class ApiCompatibilityTest {

  private static final String NONE = "none";

  @Test
  void apiHasAllOfTheLastRelease(@TempDir Path folder) throws IOException {
    String last = System.getProperty("release.last", NONE);
    if (last.equals(NONE)) {
      assertThat(Files.readString(Path.of("../UPGRADING.md")))
          .as("since there is a release, give its bundle as -Dreleased.bundle=FILE")
          .contains("There is no release yet");
      return;
    }
    Path old = Files.createDirectory(folder.resolve("old"));
    Path current = Files.createDirectory(folder.resolve("new"));
    Repository.unpack(Path.of(last), old);
    Repository.unpack(Path.of(System.getProperty("release.bundle")), current);

    assertThat(Repository.files(old, ".jar")).as("jars of " + last).hasSizeGreaterThan(20);
    assertThat(broken(old, current)).as("broken since " + last).isEmpty();
  }

  @Test
  void removedMethodIsReported(@TempDir Path folder) throws IOException {
    Path old =
        jar(
            folder,
            "old",
            "public class Shop { public int kept() { return 1; } public void gone() {} }");
    Path current =
        jar(
            folder,
            "new",
            "public class Shop { public int kept() { return 2; } public void added() {} }");

    assertThat(ApiComparison.broken(old, old)).isEmpty();
    assertThat(ApiComparison.broken(old, current)).containsExactly("dev.skipjack.api.Shop: gone");
  }

  @Test
  void newMethodIsReportedIfApplicationsImplementTheType(@TempDir Path folder) throws IOException {
    Path old = jar(folder, "old", "public interface Shop {}");
    Path current = jar(folder, "new", "public interface Shop { default void optional() {} }");
    Path broken = jar(folder, "broken", "public interface Shop { void required(); }");

    assertThat(ApiComparison.broken(old, current)).isEmpty();
    assertThat(ApiComparison.broken(old, broken))
        .containsExactly("dev.skipjack.api.Shop: required");
  }

  @Test
  void newMethodIsAllowedIfApplicationsOnlyCallTheType(@TempDir Path folder) throws IOException {
    Path old = jar(folder, "old", "public interface JobEnqueuer {}");
    Path current = jar(folder, "new", "public interface JobEnqueuer { void added(); }");

    assertThat(ApiComparison.broken(old, current)).isEmpty();
  }

  private static List<String> broken(Path old, Path current) throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path jar : Repository.files(old, ".jar")) {
      String artifact = old.relativize(jar).getName(2).toString(); // dev/skipjack/ARTIFACT
      String file = jar.getFileName().toString();
      if (file.endsWith("-sources.jar") || file.endsWith("-javadoc.jar")) {
        continue;
      }
      List<Path> now =
          Repository.files(current, "-" + System.getProperty("release.version") + ".jar").stream()
              .filter(path -> path.toString().contains("/" + artifact + "/"))
              .toList();
      if (now.isEmpty()) {
        broken.add(artifact + " is gone");
      } else {
        broken.addAll(ApiComparison.broken(jar, now.get(0)));
      }
    }
    return broken;
  }

  private static Path jar(Path folder, String name, String type) throws IOException {
    String simpleName = type.contains("JobEnqueuer") ? "JobEnqueuer" : "Shop";
    Path source = folder.resolve(name).resolve(simpleName + ".java");
    Files.createDirectories(source.getParent());
    Files.writeString(source, "package dev.skipjack.api; " + type);
    Path classes = folder.resolve(name).resolve("classes");
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", classes.toString(), source.toString());
    assertThat(result).isZero();
    Path jar = folder.resolve(name + ".jar");
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        packed.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, packed);
        packed.closeEntry();
      }
    }
    return jar;
  }
}
