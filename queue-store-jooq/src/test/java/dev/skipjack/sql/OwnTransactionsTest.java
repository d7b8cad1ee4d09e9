package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

@QueueTest
class OwnTransactionsTest {

  /** A throwable that no signature declares, as languages other than Java can throw it. */
  private static final class Undeclared extends Throwable {
    private static final long serialVersionUID = 1;
  }

  /** Unlike HikariCP, other pools do not roll back. */
  @Test
  void anUndeclaredThrowableRollsBackAndRestoresTheConnection(QueueDatabase database)
      throws SQLException {
    try (Connection only = database.connection()) {
      OwnTransactions transactions = new OwnTransactions(lending(only));

      assertThatThrownBy(
              () ->
                  transactions.onConnection(
                      connection -> {
                        try (Statement statement = connection.createStatement()) {
                          statement.execute("SELECT pg_current_xact_id()");
                        }
                        return OwnTransactionsTest.<Integer, RuntimeException>sneak();
                      }))
          .isInstanceOf(Undeclared.class);

      assertThat(only.getAutoCommit()).isTrue();
      assertThat(only.unwrap(BaseConnection.class).getTransactionState())
          .isEqualTo(TransactionState.IDLE);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <R, E extends Throwable> R sneak() throws E {
    throw (E) new Undeclared();
  }

  /** Returns a pool of one connection that never rolls back. */
  private static DataSource lending(Connection connection) {
    Connection lent =
        proxy(
            Connection.class,
            (method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(connection, arguments));
    return proxy(
        DataSource.class,
        (method, arguments) ->
            switch (method.getName()) {
              case "getConnection" -> lent;
              case "isWrapperFor" -> false;
              default -> throw new UnsupportedOperationException(method.getName());
            });
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> call.run(method, arguments)));
  }

  @FunctionalInterface
  private interface Call {
    @Nullable Object run(Method method, Object[] arguments) throws Exception;
  }
}
