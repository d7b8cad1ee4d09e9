package dev.skipjack.release;

import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.model.AccessModifier;
import japicmp.model.JApiClass;
import japicmp.model.JApiCompatibility;
import japicmp.model.JApiCompatibilityChangeType;
import japicmp.model.JApiConstructor;
import japicmp.model.JApiField;
import japicmp.model.JApiMethod;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Compares the public API of two versions of a jar. */
final class ApiComparison {

  /** Packages that are not for applications: see the modules in CONTRIBUTING.md. */
  private static final Pattern NOT_THE_API =
      Pattern.compile("dev\\.skipjack\\.(model|sql|operations)\\..*|.*\\.internal\\..*");

  /** Interfaces that applications call but do not implement, so that they may get new methods. */
  private static final Pattern CALLED_ONLY =
      Pattern.compile(
          "dev\\.skipjack\\.(api\\.(JobEnqueuer|QueueAccess|schedule\\.Schedules|operations\\.\\w+)|dedup\\.UniqueEnqueuer"
              + "|outbox\\.EventRecorder|worker\\.JobContext)");

  private static final Set<JApiCompatibilityChangeType> NOT_IMPLEMENTED =
      Set.of(
          JApiCompatibilityChangeType.METHOD_ADDED_TO_INTERFACE,
          JApiCompatibilityChangeType.METHOD_ABSTRACT_ADDED_TO_CLASS);

  private ApiComparison() {}

  /**
   * Returns the classes, with their members, that code compiled against the old version could miss
   * in the new one, or would have to implement.
   */
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
      if (NOT_THE_API.matcher(name).matches()) {
        continue;
      }
      boolean mayBeImplemented = !CALLED_ONLY.matcher(name).matches();
      List<String> members = members(type, mayBeImplemented);
      if (!members.isEmpty()) {
        broken.add(name + ": " + String.join(", ", members));
      } else if (!type.isBinaryCompatible()) {
        broken.add(name);
      }
    }
    return broken;
  }

  private static List<String> members(JApiClass type, boolean mayBeImplemented) {
    List<String> names = new ArrayList<>();
    for (JApiMethod method : type.getMethods()) {
      if (!method.isBinaryCompatible() || (mayBeImplemented && isNotImplemented(method))) {
        names.add(method.getName());
      }
    }
    for (JApiConstructor constructor : type.getConstructors()) {
      if (!constructor.isBinaryCompatible()) {
        names.add("constructor");
      }
    }
    for (JApiField field : type.getFields()) {
      if (!field.isBinaryCompatible()) {
        names.add(field.getName());
      }
    }
    return names;
  }

  private static boolean isNotImplemented(JApiCompatibility method) {
    return method.getCompatibilityChanges().stream()
        .anyMatch(change -> NOT_IMPLEMENTED.contains(change.getType()));
  }
}
