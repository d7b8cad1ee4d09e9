package dev.skipjack.torture;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;

/** Wraps an object so that calls of some methods are intercepted. */
final class Intercepted {

  @FunctionalInterface
  interface Real {
    Object call(Object[] args) throws Throwable;
  }

  /** Called instead of the real method. */
  @FunctionalInterface
  interface Interceptor {
    Object call(Real real, Object[] args) throws Throwable;
  }

  private Intercepted() {}

  static <T> T of(Class<T> type, T real, Set<String> methods, Interceptor interceptor) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              Object[] given = args == null ? new Object[0] : args;
              return methods.contains(method.getName())
                  ? interceptor.call(changed -> call(real, method, changed), given)
                  : call(real, method, given);
            }));
  }

  private static Object call(Object real, Method method, Object[] args) throws Throwable {
    try {
      Object result = method.invoke(real, args);
      // The result of a void method is ignored, but must not be null here.
      return method.getReturnType() == void.class ? method : Objects.requireNonNull(result);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }
}
