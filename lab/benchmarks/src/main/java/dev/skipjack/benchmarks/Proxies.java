package dev.skipjack.benchmarks;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Creates objects that observe the calls to another one. */
final class Proxies {

  private static final Object[] NONE = {};

  /** Handles a call. */
  @FunctionalInterface
  interface Handler {
    /**
     * Returns the result of a call.
     *
     * @param args the arguments; empty if the method has none
     * @throws Throwable thrown to the caller; the wrapper that {@link Method#invoke} adds is
     *     removed
     */
    @Nullable Object call(Method method, Object[] args) throws Throwable;
  }

  private Proxies() {}

  static <T> T of(Class<T> type, Handler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              try {
                return handler.call(method, Objects.requireNonNullElse(args, NONE));
              } catch (InvocationTargetException thrown) {
                throw Objects.requireNonNullElse(thrown.getCause(), thrown);
              }
            }));
  }
}
