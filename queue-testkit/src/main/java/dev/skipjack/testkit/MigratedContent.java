package dev.skipjack.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skipjack.migrations.Migrations;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Identifies the content that a newly migrated database would have, without migrating one. The
 * content is determined by the SQL of the migrations and by the day, because the migrations create
 * partitions for the following days.
 */
final class MigratedContent {

  private static final String FOLDER = "db/skipjack";
  private static final int BYTES = 16;

  private MigratedContent() {}

  /**
   * Returns an identifier of lowercase letters and digits, which is the same for databases with the
   * same content.
   *
   * @return the identifier, or empty if the files of the migrations cannot be listed
   */
  static Optional<String> on(LocalDate day) {
    return on(day, Migrations.class.getClassLoader());
  }

  static Optional<String> on(LocalDate day, ClassLoader migrations) {
    SortedMap<String, byte[]> files = new TreeMap<>();
    try {
      for (URL folder : Collections.list(migrations.getResources(FOLDER))) {
        switch (folder.getProtocol()) {
          case "file" -> readFolder(Path.of(URI.create(folder.toString())), files);
          case "jar" -> readJar((JarURLConnection) folder.openConnection(), files);
          default -> {
            return Optional.empty();
          }
        }
      }
    } catch (IOException unreadable) {
      return Optional.empty();
    }
    return files.isEmpty() ? Optional.empty() : Optional.of(digest(day, files));
  }

  private static void readFolder(Path folder, SortedMap<String, byte[]> files) throws IOException {
    try (Stream<Path> found = Files.list(folder)) {
      for (Path file : found.filter(Files::isRegularFile).toList()) {
        files.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    }
  }

  private static void readJar(JarURLConnection connection, SortedMap<String, byte[]> files)
      throws IOException {
    connection.setUseCaches(false); // a cached jar would be closed for its other readers
    try (JarFile jar = connection.getJarFile()) {
      List<JarEntry> found =
          jar.stream()
              .filter(entry -> !entry.isDirectory() && entry.getName().startsWith(FOLDER + "/"))
              .toList();
      for (JarEntry entry : found) {
        files.put(
            entry.getName().substring(FOLDER.length() + 1),
            jar.getInputStream(entry).readAllBytes());
      }
    }
  }

  private static String digest(LocalDate day, SortedMap<String, byte[]> files) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(day.toString().getBytes(UTF_8));
      files.forEach(
          (name, content) -> {
            digest.update((name + ' ' + content.length + '\n').getBytes(UTF_8));
            digest.update(content);
          });
      return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible); // every JDK has the algorithm
    }
  }
}
