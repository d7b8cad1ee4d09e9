package dev.skipjack.store.jooq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** Objects of the driver or a pool some of whose methods a test replaces. */
final class JdbcProxy {

  private JdbcProxy() {}

  /** What a call returns; exceptions of reflection are unwrapped. */
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
