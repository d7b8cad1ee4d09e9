package dev.skipjack.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.FaultyDataSource.Step;
import dev.skipjack.spring.Jobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Fails transactions of JPA at every point: an order and its job exist both or neither. */
@QueueTest
class RandomTransactionsIT {

  private static final int TRANSACTIONS = 1_000;
  private static final int LEAST_OF_A_FAULT = 20;
  private static final int LEAST_OF_AN_END = 100;
  private static final List<String> SQL_STATES = List.of("40001", "57014", "08006");

  /** What goes wrong in a transaction. */
  enum Fault {
    NONE,
    EXCEPTION,
    ROLLBACK_ONLY,
    CONSTRAINT,
    STATEMENT,
    CONNECTION_KILLED,
    COMMIT,
    CUT_BEFORE_COMMIT,
    CUT_AFTER_COMMIT,
    READ_ONLY
  }

  /** How a transaction relates to another one, which is rolled back. */
  enum Shape {
    ALONE,
    NEW_INSIDE,
    JOINED
  }

  private final QueueDatabase database;
  private final JdbcClient sql;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final Map<Fault, Integer> happened = new EnumMap<>(Fault.class);
  private final Set<UUID> committed = new HashSet<>();
  private final Set<UUID> rolledBack = new HashSet<>();
  private int commits;
  private int rollbacks;

  RandomTransactionsIT(QueueDatabase database) {
    this.database = database;
    this.sql = JdbcClient.create(database.dataSource());
  }

  @Test
  void orderAndJobExistBothOrNeither() {
    try (ConfigurableApplicationContext context = start()) {
      FaultyDataSource faults = (FaultyDataSource) context.getBean(DataSource.class);
      for (int i = 0; i < TRANSACTIONS; i++) {
        run(context, faults);
        faults.reset();
      }
    }

    List<UUID> orders = sql.sql("SELECT id FROM orders").query(UUID.class).list();
    List<UUID> jobs =
        sql.sql("SELECT (payload ->> 'orderId')::uuid FROM shop.jobs WHERE kind = 'charge-order'")
            .query(UUID.class)
            .list();
    assertThat(jobs).as("seed %d", seed).containsExactlyInAnyOrderElementsOf(orders);
    assertThat(orders)
        .as("seed %d", seed)
        .containsAll(committed)
        .doesNotContainAnyElementsOf(rolledBack);
    assertThat(commits).isGreaterThanOrEqualTo(LEAST_OF_AN_END);
    assertThat(rollbacks).isGreaterThanOrEqualTo(LEAST_OF_AN_END);
    assertThat(happened).hasSize(Fault.values().length);
    assertThat(happened.values()).allMatch(times -> times >= LEAST_OF_A_FAULT);
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(SpringOrders.class)
        .web(WebApplicationType.NONE)
        .initializers(
            (GenericApplicationContext context) ->
                context.registerBean("faults", BeanPostProcessor.class, FaultyPool::new))
        .run(
            "--spring.datasource.url=" + database.jdbcUrl(),
            "--skipjack.schema=shop",
            "--skipjack.worker.enabled=false",
            "--logging.level.root=off"); // hundreds of intended failures
  }

  /** Puts faults in front of the pool, for JPA and the queue alike. */
  static final class FaultyPool implements BeanPostProcessor {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      return bean instanceof DataSource pool ? new FaultyDataSource(pool) : bean;
    }
  }

  private void run(ConfigurableApplicationContext context, FaultyDataSource faults) {
    PlatformTransactionManager manager = context.getBean(PlatformTransactionManager.class);
    Shape shape = any(Shape.values());
    TransactionTemplate inner = new TransactionTemplate(manager);
    if (shape == Shape.NEW_INSIDE) {
      inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }
    Attempt attempt =
        new Attempt(context, faults, random.nextInt(4) == 0 ? Fault.NONE : any(Fault.values()));
    inner.setReadOnly(attempt.fault == Fault.READ_ONLY);
    if (shape == Shape.ALONE) {
      attempt.in(inner);
    } else {
      try {
        new TransactionTemplate(manager)
            .executeWithoutResult(
                outer -> {
                  attempt.in(inner);
                  outer.setRollbackOnly();
                });
      } catch (RuntimeException failure) {
        assertThat(attempt.fault).isEqualTo(Fault.CONNECTION_KILLED); // of both, if they share it
      }
    }
    if (shape == Shape.JOINED || attempt.isRolledBack) {
      rolledBack.addAll(attempt.orders);
      rollbacks++;
    } else if (attempt.fault != Fault.CUT_AFTER_COMMIT) {
      // A fault of a statement does not strike after the last one.
      assertThat(attempt.fault).as("seed %d", seed).isIn(Fault.NONE, Fault.STATEMENT);
      committed.addAll(attempt.orders);
      commits++;
    }
    if (shape != Shape.JOINED) { // a joined transaction has no commit that can fail
      happened.merge(attempt.fault, 1, Integer::sum);
    }
  }

  private <T> T any(T[] values) {
    return values[random.nextInt(values.length)];
  }

  /** Saves up to three orders and enqueues their jobs, with a fault at one of its steps. */
  private final class Attempt {
    private static final int STEPS_OF_AN_ORDER = 4;

    private final Orders repository;
    private final Jobs jobs;
    private final JdbcClient inTransaction;
    private final FaultyDataSource faults;
    private final Fault fault;
    private final int size = 1 + random.nextInt(3);
    private final Set<UUID> orders = new HashSet<>();
    private int stepsUntilFault = random.nextInt(size * STEPS_OF_AN_ORDER);
    private boolean isRolledBack;

    Attempt(ConfigurableApplicationContext context, FaultyDataSource faults, Fault fault) {
      this.repository = context.getBean(Orders.class);
      this.jobs = context.getBean(Jobs.class);
      this.inTransaction = context.getBean(JdbcClient.class);
      this.faults = faults;
      this.fault = fault;
    }

    void in(TransactionTemplate transaction) {
      try {
        transaction.executeWithoutResult(this::saveAndEnqueue);
        isRolledBack = fault == Fault.ROLLBACK_ONLY;
      } catch (RuntimeException failure) {
        // Whether a commit without an acknowledgement has succeeded is unknown.
        isRolledBack = fault != Fault.CUT_AFTER_COMMIT;
      }
    }

    private void saveAndEnqueue(TransactionStatus transaction) {
      for (int i = 0; i < size; i++) {
        step(transaction);
        long cents = fault == Fault.CONSTRAINT ? 0 : 1_999;
        Order order = repository.save(new Order("ada", cents));
        orders.add(order.id());
        step(transaction);
        flushPerhaps();
        jobs.enqueue(Payments.CHARGE_ORDER, new ChargeOrder(order.id()));
        step(transaction);
        flushPerhaps();
        step(transaction);
      }
    }

    /** Without it, Hibernate inserts the order after its job, at the end of the transaction. */
    private void flushPerhaps() {
      if (random.nextBoolean()) {
        repository.flush();
      }
    }

    private void killConnection() {
      int server = inTransaction.sql("SELECT pg_backend_pid()").query(Integer.class).single();
      sql.sql("SELECT pg_terminate_backend(?, 60000)").param(server).query(Boolean.class).single();
    }

    private void step(TransactionStatus transaction) {
      if (stepsUntilFault-- != 0) {
        return;
      }
      switch (fault) {
        case EXCEPTION -> throw new IllegalStateException("thrown by the test");
        case ROLLBACK_ONLY -> transaction.setRollbackOnly();
        case STATEMENT ->
            faults.failNext(Step.STATEMENT, 1, SQL_STATES.get(random.nextInt(SQL_STATES.size())));
        case CONNECTION_KILLED -> killConnection();
        case COMMIT -> faults.failNext(Step.COMMIT, 1, "40001");
        case CUT_BEFORE_COMMIT -> faults.cutBeforeCommit(1);
        case CUT_AFTER_COMMIT -> faults.cutAfterCommit(1);
        case NONE, CONSTRAINT, READ_ONLY -> {}
      }
    }
  }
}
