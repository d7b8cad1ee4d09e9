package dev.skipjack.store.jooq.internal.schedule;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.store.jooq.JobQueue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/** The main class of a process that fires due schedules until it is killed. */
final class SchedulerProcess {

  static final String READY = "ready";

  /** Printed before the statement that fires schedules is sent. */
  static final String FIRING = "firing";

  /** Printed after schedules have been fired. */
  static final String FIRED = "fired";

  private static final long POLL_MILLIS = 5;

  private SchedulerProcess() {}

  /**
   * Fires until the process is killed.
   *
   * @param args the JDBC URL and the schema
   */
  public static void main(String[] args) throws InterruptedException {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(args[0]);
    pool.setMaximumPoolSize(2);
    ScheduleStore store =
        JobQueue.builder(announcing(pool)).schema(args[1]).build().scheduleStore().orElseThrow();
    System.out.println(READY);
    while (true) {
      if (!store.fireDue(List.of()).fired().isEmpty()) {
        System.out.println(FIRED);
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static DataSource announcing(DataSource pool) {
    return wrap(DataSource.class, pool);
  }

  private static <T> T wrap(Class<T> type, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && ((String) arguments[0]).contains("job_keys")) {
                System.out.println(FIRING);
              }
              try {
                Object result = method.invoke(target, arguments);
                return method.getName().equals("getConnection")
                    ? wrap(Connection.class, (Connection) result)
                    : result;
              } catch (InvocationTargetException thrown) {
                throw Objects.requireNonNullElse(thrown.getCause(), thrown);
              }
            }));
  }
}
