package dev.skipjack.handlers;

import dev.skipjack.api.JobType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the job types in the static final fields of classes. */
final class TypeConstants {

  private TypeConstants() {}

  /** Returns a class, its superclasses and the interfaces that they implement. */
  static Set<Class<?>> own(Class<?> type) {
    Set<Class<?>> classes = withSuperclasses(type);
    List.copyOf(classes).forEach(each -> addInterfaces(each, classes));
    return classes;
  }

  private static Set<Class<?>> withSuperclasses(Class<?> type) {
    Set<Class<?>> classes = new LinkedHashSet<>();
    for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
      classes.add(each);
    }
    return classes;
  }

  private static void addInterfaces(Class<?> type, Set<Class<?>> classes) {
    for (Class<?> each : type.getInterfaces()) {
      if (classes.add(each)) {
        addInterfaces(each, classes);
      }
    }
  }

  /**
   * Returns the classes around a handler: those that enclose its class, and the classes of its
   * parameters with those that enclose them.
   */
  static Set<Class<?>> around(Class<?> type, Method handler) {
    Set<Class<?>> classes = new LinkedHashSet<>();
    withSuperclasses(type).forEach(each -> addWithEnclosing(each.getEnclosingClass(), classes));
    for (Class<?> parameter : handler.getParameterTypes()) {
      addWithEnclosing(parameter, classes);
    }
    return classes;
  }

  private static void addWithEnclosing(@Nullable Class<?> type, Set<Class<?>> classes) {
    for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
      classes.add(each);
    }
  }

  /**
   * Returns the job type of a kind that one of the classes declares, or null if none does. Only
   * classes with a constant of the class {@link JobType} are initialized.
   *
   * @throws IllegalArgumentException if the classes declare two types of the kind, or a constant
   *     cannot be read
   */
  static @Nullable JobType<?> find(String kind, Collection<Class<?>> classes) {
    JobType<?> found = null;
    for (Class<?> each : classes) {
      for (Field field : each.getDeclaredFields()) {
        if (isConstant(field) && field.trySetAccessible()) {
          JobType<?> constant = read(field);
          if (constant.kind().equals(kind)) {
            if (found != null && found != constant) {
              throw new IllegalArgumentException(
                  "Class %s declares a second job type of kind '%s'. Declare one."
                      .formatted(each.getName(), kind));
            }
            found = constant;
          }
        }
      }
    }
    return found;
  }

  private static boolean isConstant(Field field) {
    int modifiers = field.getModifiers();
    return field.getType() == JobType.class
        && Modifier.isStatic(modifiers)
        && Modifier.isFinal(modifiers);
  }

  private static JobType<?> read(Field field) {
    String name = field.getDeclaringClass().getName() + "." + field.getName();
    try {
      if (field.get(null) instanceof JobType<?> constant) {
        return constant;
      }
    } catch (IllegalAccessException refused) {
      throw new IllegalStateException(refused); // cannot happen after trySetAccessible
    } catch (LinkageError failed) {
      throw new IllegalArgumentException(
          "Field %s cannot be read, because its class cannot be initialized: %s."
              .formatted(name, failed.getCause() == null ? failed : failed.getCause()),
          failed);
    }
    throw new IllegalArgumentException(
        "Field %s is null. Initialize it with JobType.of.".formatted(name));
  }
}
