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
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Fails transactions of JPA, JDBC and jOOQ at every point. Either both an order and its job exist,
 * or neither does.
 */
@QueueTest
class RandomTransactionsIT {

  private static final boolean SOAK = Boolean.getBoolean("skipjack.soak");
  private static final int TRANSACTIONS = SOAK ? 1_000 : 500;
  private static final String THROWN = "thrown by the test";
  private static final String INSERT =
      "INSERT INTO orders (id, customer, cents, status) VALUES (?, 'ada', ?, 'PLACED')";
  private static final int LEAST_OF_A_FAULT = SOAK ? 20 : 1;
  private static final int LEAST_OF_AN_END = TRANSACTIONS / 10;
  private static final List<String> SQL_STATES = List.of("40001", "57014", "08006");

  /** The faults in a transaction. */
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

  /** The transaction around the one that fails. It saves an order too. */
  enum Outer {
    NONE,
    COMMITS,
    ROLLS_BACK
  }

  /** The ways to write an order. All of them join the same transaction. */
  enum Writer {
    JPA,
    JDBC,
    JOOQ
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
  void orderAndJobBothExistOrNeitherDoes() {
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
    assertThat(commits).as("commits, seed %d", seed).isGreaterThanOrEqualTo(LEAST_OF_AN_END);
    assertThat(rollbacks).as("rollbacks, seed %d", seed).isGreaterThanOrEqualTo(LEAST_OF_AN_END);
    assertThat(happened).as("seed %d", seed).hasSize(Fault.values().length);
    assertThat(happened.values())
        .as("%s, seed %d", happened, seed)
        .allMatch(times -> times >= LEAST_OF_A_FAULT);
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
    Outer shape = any(Outer.values());
    boolean isJoined = shape != Outer.NONE && random.nextBoolean();
    Attempt attempt =
        new Attempt(context, faults, random.nextInt(4) == 0 ? Fault.NONE : any(Fault.values()));
    Attempt around = new Attempt(context, faults, Fault.NONE);
    TransactionTemplate inner = new TransactionTemplate(manager);
    inner.setReadOnly(attempt.fault == Fault.READ_ONLY);
    if (!isJoined) {
      inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }
    if (shape == Outer.NONE) {
      attempt.in(inner);
    } else {
      TransactionTemplate outer = new TransactionTemplate(manager);
      outer.setReadOnly(isJoined && attempt.fault == Fault.READ_ONLY);
      around.in(
          outer,
          transaction -> {
            if (!outer.isReadOnly()) {
              around.saveAndEnqueue(transaction);
            }
            attempt.in(inner);
            if (!isJoined) {
              faults.reset(); // an unused fault must not hit the other transaction
            }
            if (shape == Outer.ROLLS_BACK) {
              transaction.setRollbackOnly();
            }
          });
    }
    if (isJoined && shape == Outer.ROLLS_BACK) {
      // A transaction without a commit does not show every fault.
      ended(attempt, true);
      ended(around, true);
      return;
    }
    Throwable reason = attempt.failure != null || !isJoined ? attempt.failure : around.failure;
    requireReason(attempt.fault, reason, isJoined);
    boolean isRolledBack =
        attempt.isRolledBack()
            || (isJoined && around.failure != null && attempt.fault != Fault.CUT_AFTER_COMMIT);
    if (isRolledBack || attempt.fault == Fault.NONE || attempt.fault == Fault.CUT_AFTER_COMMIT) {
      happened.merge(attempt.fault, 1, Integer::sum);
    } else {
      // A fault of a statement has no effect after the last statement.
      assertThat(attempt.fault).as("seed %d", seed).isEqualTo(Fault.STATEMENT);
    }
    if (attempt.fault != Fault.CUT_AFTER_COMMIT) { // otherwise, the end is unknown
      ended(attempt, isRolledBack);
    }
    if (!isJoined) {
      assertThat(around.failure).as("seed %d", seed).isNull();
      ended(around, shape == Outer.ROLLS_BACK);
    } else if (attempt.fault != Fault.CUT_AFTER_COMMIT) {
      ended(around, isRolledBack);
    }
  }

  private void ended(Attempt attempt, boolean isRolledBack) {
    (isRolledBack ? rolledBack : committed).addAll(attempt.orders);
    if (isRolledBack) {
      rollbacks++;
    } else {
      commits++;
    }
  }

  /** Checks that the transaction failed for the reason that the fault gave. */
  private void requireReason(Fault fault, @Nullable Throwable failure, boolean isJoined) {
    switch (fault) {
      case NONE -> assertThat(failure).as("seed %d", seed).isNull();
      case EXCEPTION -> assertThat(failure).as("seed %d", seed).hasMessage(THROWN);
      case ROLLBACK_ONLY -> {
        if (isJoined) {
          assertThat(failure).as("seed %d", seed).isInstanceOf(UnexpectedRollbackException.class);
        } else {
          assertThat(failure).as("seed %d", seed).isNull();
        }
      }
      case CONSTRAINT ->
          assertThat(failure)
              .as("seed %d", seed)
              .rootCause()
              .hasMessageContaining("violates check constraint");
      case READ_ONLY ->
          assertThat(NestedExceptionUtils.getMostSpecificCause(Objects.requireNonNull(failure)))
              .as("seed %d", seed)
              .hasMessageContaining("read-only transaction");
      case CONNECTION_KILLED, COMMIT, CUT_BEFORE_COMMIT, CUT_AFTER_COMMIT ->
          assertThat(failure).as("%s, seed %d", fault, seed).isNotNull();
      case STATEMENT -> {}
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
    private final DSLContext jooq;
    private final FaultyDataSource faults;
    private final Fault fault;
    private final int size = 1 + random.nextInt(3);
    private final Set<UUID> orders = new HashSet<>();
    private int stepsUntilFault = random.nextInt(size * STEPS_OF_AN_ORDER);
    private @Nullable RuntimeException failure;
    private boolean isRollbackOnly;

    Attempt(ConfigurableApplicationContext context, FaultyDataSource faults, Fault fault) {
      this.repository = context.getBean(Orders.class);
      this.jobs = context.getBean(Jobs.class);
      this.inTransaction = context.getBean(JdbcClient.class);
      this.jooq =
          DSL.using(
              new TransactionAwareDataSourceProxy(context.getBean(DataSource.class)),
              SQLDialect.POSTGRES);
      this.faults = faults;
      this.fault = fault;
    }

    void in(TransactionTemplate transaction) {
      in(transaction, this::saveAndEnqueue);
    }

    void in(TransactionTemplate transaction, Consumer<TransactionStatus> work) {
      try {
        transaction.executeWithoutResult(work);
      } catch (RuntimeException thrown) {
        failure = thrown;
      }
    }

    boolean isRolledBack() {
      // Whether a commit without an acknowledgement has succeeded is unknown.
      return isRollbackOnly || (failure != null && fault != Fault.CUT_AFTER_COMMIT);
    }

    void saveAndEnqueue(TransactionStatus transaction) {
      for (int i = 0; i < size; i++) {
        step(transaction);
        ChargeOrder job = new ChargeOrder(save(fault == Fault.CONSTRAINT ? 0 : 1_999));
        orders.add(job.orderId());
        step(transaction);
        flushPerhaps();
        if (random.nextBoolean()) {
          jobs.enqueue(Payments.CHARGE_ORDER, job);
        } else {
          jobs.enqueueAll(Payments.CHARGE_ORDER, List.of(job));
        }
        step(transaction);
        flushPerhaps();
        step(transaction);
      }
    }

    private UUID save(long cents) {
      Writer writer = any(Writer.values());
      if (writer == Writer.JPA) {
        return repository.save(new Order("ada", cents)).id();
      }
      UUID id = UUID.randomUUID();
      if (writer == Writer.JDBC) {
        inTransaction.sql(INSERT).params(id, cents).update();
      } else {
        jooq.execute(INSERT, id, cents);
      }
      return id;
    }

    /**
     * Without a flush, Hibernate inserts the order after its job, at the end of the transaction.
     */
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
        case EXCEPTION -> throw new IllegalStateException(THROWN);
        case ROLLBACK_ONLY -> {
          transaction.setRollbackOnly();
          isRollbackOnly = true;
        }
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
