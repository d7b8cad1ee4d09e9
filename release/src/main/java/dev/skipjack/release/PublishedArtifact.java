package dev.skipjack.release;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An artifact of a release: the parent, the BOM, or a module that the BOM lists.
 *
 * @param name its artifactId
 * @param folder the folder of its POM
 * @param hasJar whether it has jars, which the parent and the BOM do not have
 */
record PublishedArtifact(String name, Path folder, boolean hasJar) {

  /**
   * The elements that Maven Central requires in each POM. A module inherits them from the parent.
   */
  private static final List<String> REQUIRED =
      List.of("name", "description", "url", "licenses", "developers", "scm");

  /** The elements that a module must have itself, because those of the parent would be wrong. */
  private static final List<String> OWN = List.of("name", "description");

  /** Returns the parent, the BOM, and the artifacts that the BOM lists, in its order. */
  static List<PublishedArtifact> all(Path root) throws IOException {
    Pom parent = Pom.read(root.resolve("pom.xml"));
    Map<String, Path> folders = new HashMap<>();
    for (String module : parent.modules()) {
      Path folder = root.resolve(module).normalize();
      folders.put(Pom.read(folder.resolve("pom.xml")).artifactId(), folder);
    }
    List<PublishedArtifact> all = new ArrayList<>();
    all.add(new PublishedArtifact(parent.artifactId(), root, false));
    Path bom = root.resolve("queue-bom");
    all.add(new PublishedArtifact(Pom.read(bom.resolve("pom.xml")).artifactId(), bom, false));
    for (String name : Pom.read(bom.resolve("pom.xml")).managed()) {
      Path folder = folders.get(name);
      if (folder == null) {
        throw new IllegalStateException(
            "The BOM lists %s, which is no module of %s.".formatted(name, root));
      }
      all.add(new PublishedArtifact(name, folder, true));
    }
    return all;
  }

  /**
   * Returns the files of this artifact by their names in a repository.
   *
   * @throws IllegalStateException if one is missing, or the POM lacks what Maven Central requires
   */
  Map<String, Path> files(String version, Pom parent) throws IOException {
    Path pom = folder.resolve("pom.xml");
    checkPom(Pom.read(pom), parent);
    String base = name + "-" + version;
    Map<String, Path> files = new HashMap<>();
    files.put(base + ".pom", pom);
    if (hasJar) {
      for (String suffix : List.of(".jar", "-sources.jar", "-javadoc.jar")) {
        files.put(base + suffix, folder.resolve("target").resolve(base + suffix));
      }
    }
    for (Path file : files.values()) {
      if (!Files.isRegularFile(file)) {
        throw new IllegalStateException(
            "%s is missing; build all modules with ./mvnw -Prelease.".formatted(file));
      }
    }
    return files;
  }

  private void checkPom(Pom pom, Pom parent) {
    for (String element : REQUIRED) {
      boolean inherited = pom.hasParent() && !OWN.contains(element) && parent.has(element);
      if (!pom.has(element) && !inherited) {
        throw new IllegalStateException(
            "The POM of %s has no <%s>, which Maven Central requires.".formatted(name, element));
      }
    }
  }
}
