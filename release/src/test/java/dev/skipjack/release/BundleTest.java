package dev.skipjack.release;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the bundle that this build has made. */
@Timeout(300)
class BundleTest {

  private static final String VERSION = property("version");

  private static final Path SAMPLE = Path.of("sample").toAbsolutePath();

  private final Path temporary;
  private final Path bundle;

  BundleTest(@TempDir Path temporary) throws IOException {
    this.temporary = temporary;
    this.bundle = Files.createDirectory(temporary.resolve("bundle"));
    Repository.unpack(Path.of(property("bundle")), bundle);
  }

  private static String property(String name) {
    String value = System.getProperty("release." + name);
    assertThat(value).as("release." + name + ", which the POM sets").isNotBlank();
    return value;
  }

  @Test
  void eachArtifactHasSourcesJavadocAndChecksums() throws Exception {
    List<Path> jars = jars();

    assertThat(jars).hasSizeGreaterThanOrEqualTo(20);
    for (Path jar : jars) {
      String base = jar.toString().substring(0, jar.toString().length() - ".jar".length());
      for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar", ".pom")) {
        assertThat(Path.of(base + suffix)).isNotEmptyFile();
        assertThat(Files.readString(Path.of(base + suffix + ".sha1")))
            .isEqualTo(sha1(Path.of(base + suffix)));
      }
    }
    assertThat(Repository.files(bundle, ".pom")).hasSize(jars.size() + 2);
    assertThat(Files.readString(Repository.files(bundle, "-cyclonedx.json").get(0)))
        .contains("pkg:maven/org.jooq/jooq@", "pkg:maven/dev.skipjack/skipjack-worker@")
        .doesNotContain("junit-jupiter-engine", "archunit");
  }

  @Test
  void eachJarIsAModuleWithItsOwnNameAndPackages() throws IOException {
    List<Path> jars = jars();
    Map<String, List<String>> modulesOfPackages = new TreeMap<>();
    List<String> names = new ArrayList<>();
    for (Path jar : jars) {
      ModuleReference module = ModuleFinder.of(jar).findAll().iterator().next();
      ModuleDescriptor descriptor = module.descriptor();
      names.add(descriptor.name());
      descriptor
          .packages()
          .forEach(
              name ->
                  modulesOfPackages
                      .computeIfAbsent(name, unused -> new ArrayList<>())
                      .add(descriptor.name()));
    }

    assertThat(names).doesNotHaveDuplicates().allMatch(name -> name.startsWith("dev.skipjack."));
    assertThat(modulesOfPackages).allSatisfy((name, modules) -> assertThat(modules).hasSize(1));
  }

  @Test
  void applicationIsBuiltFromTheBundleAloneAndRuns() throws Exception {
    List<Path> built = build();

    String separator = File.pathSeparator;
    String path = built.stream().map(Path::toString).collect(Collectors.joining(separator));
    assertThat(run("-cp", path, "sample.Greetings"))
        .contains("module null", "hello sample", "job COMPLETED")
        .anyMatch(line -> line.matches("migrations [1-9]\\d*"))
        .anyMatch(line -> line.startsWith("from file:" + temporary));
    assertThat(run("-p", path, "--add-modules", "ALL-MODULE-PATH", "-m", "sample/sample.Greetings"))
        .contains("module dev.skipjack.store.jooq", "hello sample", "job COMPLETED");
  }

  @Test
  void signaturesAreThoseOfTheGivenKey() throws Exception {
    Path home = Files.createDirectory(temporary.resolve("gnupg"));
    Path artifact = jars().get(0);
    gpg(home, "--passphrase", "", "--quick-generate-key", "release@example.org", "rsa2048");

    Command.in(temporary)
        .environment("GNUPGHOME", home.toString())
        .run(
            Command.java(),
            "-cp",
            Path.of("target", "classes").toAbsolutePath().toString(),
            Bundle.class.getName(),
            Path.of("..").toAbsolutePath().toString(),
            VERSION,
            artifact.toString(),
            temporary.resolve("signed.zip").toString(),
            "release@example.org",
            "none");

    Path signed = Files.createDirectory(temporary.resolve("signed"));
    Repository.unpack(temporary.resolve("signed.zip"), signed);
    List<Path> signatures = Repository.files(signed, ".asc");
    assertThat(signatures).hasSize(Repository.files(signed, ".sha1").size());
    String signature = signatures.get(0).toString();
    gpg(home, "--verify", signature, signature.substring(0, signature.length() - 4));
    gpg(
        home,
        "--verify",
        signatures.get(signatures.size() - 1).toString(),
        signatures.get(signatures.size() - 1).toString().replace(".asc", ""));
    Command.in(temporary).environment("GNUPGHOME", home.toString()).run("gpgconf", "--kill", "all");
  }

  private void gpg(Path home, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("gpg", "--batch"));
    command.addAll(List.of(arguments));
    Command.in(temporary)
        .environment("GNUPGHOME", home.toString())
        .run(command.toArray(String[]::new));
  }

  /** Builds the sample offline, and returns its class path, with its own classes first. */
  private List<Path> build() throws Exception {
    Path sample = temporary.resolve("sample");
    copy(SAMPLE, sample);
    Path others = Files.createDirectory(temporary.resolve("others"));
    Repository.linkOthers(Path.of(property("repository")), others);
    Path settings = temporary.resolve("settings.xml");
    Files.writeString(
        settings,
        """
        <settings>
          <profiles>
            <profile>
              <id>bundle</id>
              <repositories>
                <repository>
                  <id>bundle</id>
                  <url>%s</url>
                </repository>
              </repositories>
            </profile>
          </profiles>
          <activeProfiles>
            <activeProfile>bundle</activeProfile>
          </activeProfiles>
        </settings>
        """
            .formatted(bundle.toUri()),
        UTF_8);
    Command.in(sample)
        .environment("JAVA_HOME", System.getProperty("java.home"))
        .run(
            Path.of(property("maven"), "bin", "mvn").toString(),
            "-B",
            "-q",
            "-o",
            "-s",
            settings.toString(),
            "-Daether.offline.protocols=file",
            "-Dmaven.repo.local=" + temporary.resolve("local"),
            "-Dmaven.repo.local.tail=" + others,
            "-Dskipjack.version=" + VERSION,
            "-Dpostgresql.version=" + property("postgresql"),
            "-Djackson.version=" + property("jackson"),
            "compile");
    List<Path> path = new ArrayList<>(List.of(sample.resolve("target/classes")));
    path.addAll(Repository.files(sample.resolve("target/dependency"), ".jar"));
    return path;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from.resolve("src"))) {
      for (Path file : Stream.concat(files, Stream.of(from.resolve("pom.xml"))).toList()) {
        Path copy = to.resolve(from.relativize(file).toString());
        if (Files.isRegularFile(file)) {
          Files.createDirectories(copy.getParent());
          Files.copy(file, copy);
        }
      }
    }
  }

  private List<String> run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Command.java()));
    command.addAll(List.of(arguments));
    return Command.in(temporary).run(command.toArray(String[]::new));
  }

  /** Returns the jars with classes. */
  private List<Path> jars() throws IOException {
    return Repository.files(bundle, VERSION + ".jar");
  }

  private static String sha1(Path file) throws Exception {
    return HexFormat.of()
        .formatHex(MessageDigest.getInstance("SHA-1").digest(Files.readAllBytes(file)));
  }
}
