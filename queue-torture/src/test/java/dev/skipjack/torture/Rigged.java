package dev.skipjack.torture;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;

/** Something that works as the real one but for a twist. */
final class Rigged {

  /** The real method. */
  @FunctionalInterface
  interface Real {
    Object call(Object[] args) throws Throwable;
  }

  /** What happens instead. */
  @FunctionalInterface
  interface Twist {
    Object call(Real real, Object[] args) throws Throwable;
  }

  private Rigged() {}

  static <T> T of(Class<T> type, T real, Set<String> methods, Twist twist) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              Object[] given = args == null ? new Object[0] : args;
              return methods.contains(method.getName())
                  ? twist.call(changed -> call(real, method, changed), given)
                  : call(real, method, given);
            }));
  }

  private static Object call(Object real, Method method, Object[] args) throws Throwable {
    try {
      Object result = method.invoke(real, args);
      // What a proxy answers for a method that returns nothing is ignored.
      return method.getReturnType() == void.class ? method : Objects.requireNonNull(result);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }
}
