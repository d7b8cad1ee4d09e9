package dev.skipjack.store.jooq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Creates proxies for objects of the driver or of a pool, in which a test replaces some methods.
 */
final class JdbcProxy {

  private JdbcProxy() {}

  /** Returns the result of a call. Exceptions of reflection are unwrapped. */
  @FunctionalInterface
  interface Call {
    Object run(Method method, Object[] args) throws Exception;
  }

  static <T> T of(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, args) -> {
              try {
                return call.run(method, args);
              } catch (InvocationTargetException thrown) {
                throw thrown.getTargetException();
              }
            }));
  }
}
