package dev.skipjack.release;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDateTime;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Makes the bundle of a release: a zip with all published artifacts in the layout of a Maven
 * repository, with their sources, Javadoc, checksums, SBOM and, if a key is given, signatures. Two
 * bundles of the same files are equal, byte for byte, unless they are signed.
 */
public final class Bundle {

  private static final String NONE = "none";
  private static final String GROUP = "dev/skipjack/";

  /** The algorithms by the suffixes of their files. Maven Central requires MD5 and SHA-1. */
  private static final SortedMap<String, String> CHECKSUMS =
      new TreeMap<>(
          Map.of("md5", "MD5", "sha1", "SHA-1", "sha256", "SHA-256", "sha512", "SHA-512"));

  /** The time of all entries of the zip, whose format has no time zone. */
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  private Bundle() {}

  /**
   * Makes the bundle.
   *
   * @param args the folder of the project, the version, the SBOM, the zip to write, the id of the
   *     key that signs, and the bundle of the last release; {@code none} for no key and no release
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    Path root = Path.of(args[0]);
    String version = args[1];
    Path zip = Path.of(args[3]);
    String key = args[4];
    SortedMap<String, Path> files = files(root, version, Path.of(args[2]));
    write(zip, files, key);
    System.out.printf(
        "%s: %d files, %s%s%n",
        zip.getFileName(),
        files.size(),
        key.equals(NONE) ? "not signed" : "signed by " + key,
        version.endsWith("-SNAPSHOT") ? "; a rehearsal, Maven Central refuses snapshots" : "");
    System.out.println(
        args[5].equals(NONE)
            ? "There is no release to compare the API with; -Dreleased.bundle names its bundle."
            : "ApiCompatibilityTest compares the API with that of " + args[5] + ".");
  }

  /** Returns the files of all artifacts by their paths in a repository. */
  static SortedMap<String, Path> files(Path root, String version, Path sbom) throws IOException {
    SortedMap<String, Path> files = new TreeMap<>();
    Pom parent = Pom.read(root.resolve("pom.xml"));
    for (PublishedArtifact artifact : PublishedArtifact.all(root)) {
      String folder = GROUP + artifact.name() + "/" + version + "/";
      artifact.files(version, parent).forEach((name, file) -> files.put(folder + name, file));
    }
    String bom = "skipjack-bom";
    files.put("%s%s/%s/%s-%s-cyclonedx.json".formatted(GROUP, bom, version, bom, version), sbom);
    return files;
  }

  private static void write(Path zip, SortedMap<String, Path> files, String key)
      throws IOException {
    try (OutputStream out = Files.newOutputStream(zip);
        ZipOutputStream bundle = new ZipOutputStream(out)) {
      for (Map.Entry<String, Path> file : files.entrySet()) {
        byte[] content = Files.readAllBytes(file.getValue());
        add(bundle, file.getKey(), content);
        for (Map.Entry<String, String> checksum : CHECKSUMS.entrySet()) {
          String digest = digest(checksum.getValue(), content);
          add(bundle, file.getKey() + "." + checksum.getKey(), digest.getBytes(UTF_8));
        }
        if (!key.equals(NONE)) {
          add(bundle, file.getKey() + ".asc", sign(file.getValue(), key));
        }
      }
    }
  }

  private static void add(ZipOutputStream bundle, String name, byte[] content) throws IOException {
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(TIME);
    bundle.putNextEntry(entry);
    bundle.write(content);
    bundle.closeEntry();
  }

  private static String digest(String algorithm, byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("This JDK has no " + algorithm + ".", missing);
    }
  }

  /**
   * Returns gpg's signature of a file. All artifacts are signed here and not in their modules,
   * because the BOM has no parent. If the key has a passphrase, gpg's agent must have it.
   */
  private static byte[] sign(Path file, String key) throws IOException {
    Process gpg =
        new ProcessBuilder(
                List.of(
                    "gpg",
                    "--batch",
                    "--armor",
                    "--local-user",
                    key,
                    "--detach-sign",
                    "--output",
                    "-",
                    file.toString()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    byte[] signature = gpg.getInputStream().readAllBytes();
    try {
      if (gpg.waitFor() != 0) {
        throw new IllegalStateException(
            "gpg could not sign %s with the key '%s'; its error is above."
                .formatted(file.getFileName(), key));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while gpg signed.", interrupted);
    }
    return signature;
  }
}
