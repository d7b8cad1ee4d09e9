package dev.skipjack.store.jooq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;

/** Records the statements that were prepared on its connections, in order, and their failures. */
public final class RecordingDataSource {

  public final Queue<String> prepared = new ConcurrentLinkedQueue<>();
  final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();
  public final DataSource dataSource;

  public RecordingDataSource(DataSource target) {
    this.dataSource = proxy(DataSource.class, target);
  }

  private <T> T proxy(Class<T> type, Object target) {
    return type.cast(
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                if (method.getName().equals("prepareStatement")) {
                  prepared.add((String) arguments[0]);
                }
                Object result = method.invoke(target, arguments);
                if (result instanceof PreparedStatement) {
                  return proxy(PreparedStatement.class, result);
                }
                return result instanceof Connection && type == DataSource.class
                    ? proxy(Connection.class, result)
                    : result;
              } catch (InvocationTargetException failure) {
                if (failure.getCause() instanceof SQLException refused) {
                  failures.add(refused);
                }
                throw failure.getCause();
              }
            }));
  }
}
