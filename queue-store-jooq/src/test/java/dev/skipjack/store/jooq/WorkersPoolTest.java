package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.Retention;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests which connections a worker's statements use, and the size of their pool. */
@QueueTest
class WorkersPoolTest {

  private QueueDatabase database;
  private final AtomicInteger main = new AtomicInteger();
  private final AtomicInteger control = new AtomicInteger();

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
  }

  /** Returns a data source that counts the borrowed connections and unwraps as the pool does. */
  private DataSource counting(DataSource pool, AtomicInteger borrowed) {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                borrowed.incrementAndGet();
              }
              try {
                return method.invoke(pool, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            });
  }

  private JobQueue.Builder builder() {
    return JobQueue.builder(counting(database.dataSource(), main)).schema(database.schema());
  }

  @Test
  void workersOwnStatementsUseTheirOwnPool() {
    JobQueue queue =
        builder().controlOn(counting(database.dataSource(), control)).wakeUps(false).build();
    queue.enqueue(Fixture.WORK, new Fixture.Work(1));
    assertThat(control).hasValue(0);
    assertThat(main.getAndSet(0)).isEqualTo(1);

    JobStore store = queue.store();
    store.dueLanes(List.of("default"));
    Execution execution =
        store.claim(Fixture.request(1, Fixture.LEASE, new Lane("default", 0))).get(0).execution();
    store.heartbeat(List.of(execution), Fixture.LEASE);
    try (LeaseKeeper leases = queue.leases()) {
      leases.heartbeat(List.of(execution), Fixture.LEASE);
    }
    store.complete(List.of(execution));
    store.rescue(Duration.ZERO, 1);
    queue.maintenance().createPartitions(Duration.ZERO);
    queue.maintenance().removePartitions(Retention.defaults());
    queue.maintenance().prune();
    WorkerId worker = WorkerId.boot("w");
    queue.workers().announce(new WorkerRow(worker, null, 1, List.of(), List.of(), "{}"));
    queue.workers().remove(worker);
    try (Subscription subscription = queue.wakeUps().orElseThrow().subscribe()) {
      assertThat(subscription.await(Duration.ofMillis(1))).isEmpty();
    }

    assertThat(main).hasValue(0);
    assertThat(control.getAndSet(0)).isGreaterThanOrEqualTo(12);

    queue.enqueue(Fixture.WORK, new Fixture.Work(2));
    queue.reader().counts();
    queue.admin().pause("other");
    queue.admin().resume("other");
    assertThat(control).hasValue(0);
    assertThat(main.get()).isGreaterThanOrEqualTo(4);
  }

  @Test
  void withoutAControlPoolEverythingUsesTheQueuesPool() {
    JobQueue queue = builder().build();

    queue.store().dueLanes(List.of("default"));

    assertThat(main).hasValue(1);
  }

  @Test
  void listensSeparatelyOnlyIfConfigured() {
    assertThat(builder().build().listensApart()).isFalse();
    assertThat(builder().controlOn(database.dataSource()).build().listensApart()).isFalse();
    assertThat(builder().listenOn(database.dataSource()).build().listensApart()).isTrue();
  }

  @Test
  void theSizeOfAHikariPoolIsKnown() {
    try (HikariDataSource pool = database.newDataSource(3);
        HikariDataSource other = database.newDataSource(4)) {
      assertThat(JobQueue.builder(pool).build().poolSize()).hasValue(3);
      assertThat(JobQueue.builder(counting(pool, main)).build().poolSize()).hasValue(3);
      assertThat(JobQueue.builder(pool).controlOn(other).build().poolSize()).hasValue(4);
    }
  }

  @Test
  void theSizeOfAnotherPoolIsUnknown() {
    assertThat(JobQueue.builder(new PGSimpleDataSource()).build().poolSize()).isEmpty();
    DataSource rude =
        (DataSource)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  throw new UnsupportedOperationException(method.getName());
                });
    assertThat(JobQueue.builder(rude).build().poolSize()).isEmpty();
  }

  /** An application with another pool need not have HikariCP on its class path. */
  @Test
  void hikariNeedNotBeOnTheClassPath() throws Exception {
    ClassLoader without =
        new ClassLoader(getClass().getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("com.zaxxer")) {
              throw new ClassNotFoundException(name);
            }
            if (!name.startsWith(PoolSize.class.getName())) {
              return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
          }

          private Class<?> define(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            try (InputStream bytes =
                Objects.requireNonNull(getParent().getResourceAsStream(file))) {
              byte[] code = bytes.readAllBytes();
              return defineClass(name, code, 0, code.length);
            } catch (IOException unreadable) {
              throw new ClassNotFoundException(name, unreadable);
            }
          }
        };
    Method of =
        without.loadClass(PoolSize.class.getName()).getDeclaredMethod("of", DataSource.class);
    of.setAccessible(true);

    assertThat(of.invoke(null, new PGSimpleDataSource())).isEqualTo(OptionalInt.empty());
  }
}
