package dev.skipjack.release;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.model.AccessModifier;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import japicmp.model.JApiConstructor;
import japicmp.model.JApiField;
import japicmp.model.JApiMethod;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Compares the public API of two versions of a jar. */
final class ApiComparison {

  /** Packages that are not for applications: see the modules in CONTRIBUTING.md. */
  private static final Pattern NOT_THE_API =
      Pattern.compile("dev\\.skipjack\\.(model|sql|operations)\\..*|.*\\.internal\\..*");

  private ApiComparison() {}

  /** Returns the classes, with their members, that code compiled against the old version could miss in the new one. */
  static List<String> broken(Path old, Path current) {
    JarArchiveComparatorOptions options = new JarArchiveComparatorOptions();
    options.setAccessModifier(AccessModifier.PROTECTED);
    options.getIgnoreMissingClasses().setIgnoreAllMissingClasses(true);
    List<String> broken = new ArrayList<>();
    for (JApiClass type :
        new JarArchiveComparator(options)
            .compare(
                new JApiCmpArchive(old.toFile(), "old"),
                new JApiCmpArchive(current.toFile(), "new"))) {
      String name = type.getFullyQualifiedName();
      if (!type.isBinaryCompatible() && !NOT_THE_API.matcher(name).matches()) {
        broken.add(name + members(type));
      }
    }
    return broken;
  }

  private static String members(JApiClass type) {
    List<String> names = new ArrayList<>();
    for (JApiMethod method : type.getMethods()) {
      add(names, method, method.getName());
    }
    for (JApiConstructor constructor : type.getConstructors()) {
      add(names, constructor, "constructor");
    }
    for (JApiField field : type.getFields()) {
      add(names, field, field.getName());
    }
    return names.isEmpty() ? "" : ": " + String.join(", ", names);
  }

  private static void add(List<String> names, JApiCompatibility member, String name) {
    if (!member.isBinaryCompatible()) {
      names.add(name);
    }
  }
}
