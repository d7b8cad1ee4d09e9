package dev.skipjack.benchmarks;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Counts the statements that run on a pool's connections. A statement and the settings sent with it
 * in one round trip count as one; BEGIN and COMMIT do not count.
 */
final class StatementCounter {

  private final AtomicLong statements = new AtomicLong();

  long statements() {
    return statements.get();
  }

  DataSource counting(DataSource pool) {
    return wrap(DataSource.class, pool);
  }

  private <T> T wrap(Class<T> type, T target) {
    return Proxies.of(
        type,
        (method, args) -> {
          if (target instanceof Statement && method.getName().startsWith("execute")) {
            statements.incrementAndGet();
          }
          return wrapped(method.getName(), method.invoke(target, args));
        });
  }

  private @Nullable Object wrapped(String method, @Nullable Object result) {
    if (method.equals("unwrap") || method.equals("getStatement")) {
      return result;
    }
    if (result instanceof CallableStatement statement) {
      return wrap(CallableStatement.class, statement);
    }
    if (result instanceof PreparedStatement statement) {
      return wrap(PreparedStatement.class, statement);
    }
    if (result instanceof Statement statement) {
      return wrap(Statement.class, statement);
    }
    return result instanceof Connection connection ? wrap(Connection.class, connection) : result;
  }
}
