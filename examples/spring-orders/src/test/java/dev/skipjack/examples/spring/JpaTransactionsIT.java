package dev.skipjack.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.spring.Jobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Entities, jobs and events share JPA's transactions. */
@QueueTest
class JpaTransactionsIT {

  private static final Unique<ChargeOrder> ONE_PER_ORDER =
      Unique.by(job -> job.orderId().toString());

  enum Way {
    JOB(
        (context, order) ->
            context.getBean(Jobs.class).enqueue(Payments.CHARGE_ORDER, new ChargeOrder(order))),
    UNIQUE_JOB(
        (context, order) ->
            context
                .getBean(UniqueEnqueuer.class)
                .enqueue(Payments.CHARGE_ORDER, new ChargeOrder(order), ONE_PER_ORDER)),
    EVENT(
        (context, order) ->
            context.getBean(EventRecorder.class).record(Event.of("order", order, "order-placed")));

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final BiConsumer<ApplicationContext, UUID> write;

    Way(BiConsumer<ApplicationContext, UUID> write) {
      this.write = write;
    }
  }

  private final QueueDatabase database;
  private final JdbcClient sql;

  JpaTransactionsIT(QueueDatabase database) {
    this.database = database;
    this.sql = JdbcClient.create(database.dataSource());
  }

  @ParameterizedTest
  @EnumSource
  void ordersCommitTogetherWithTheirJobsAndEvents(Way way) {
    try (ConfigurableApplicationContext context = start()) {
      long before = orders();
      TransactionTemplate outer = context.getBean(TransactionTemplate.class);
      TransactionTemplate inner =
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
      outer.executeWithoutResult(
          status -> {
            place(context, way);
            inner.executeWithoutResult(kept -> place(context, way));
            status.setRollbackOnly();
          });
      assertThat(orders()).isEqualTo(before + 1);
      assertThat(written()).isOne();

      outer.executeWithoutResult(status -> place(context, way));
      assertThat(orders()).isEqualTo(before + 2);
      assertThat(written()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReadOnlyTransactionIsRefused(Way way) {
    try (ConfigurableApplicationContext context = start()) {
      TransactionTemplate readOnly =
          new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
      readOnly.setReadOnly(true);
      assertThatExceptionOfType(IllegalTransactionStateException.class)
          .isThrownBy(
              () ->
                  readOnly.executeWithoutResult(
                      status -> way.write.accept(context, UUID.randomUUID())))
          .withMessageContaining("Remove readOnly = true");
      assertThat(written()).isZero();
    }
  }

  private static void place(ApplicationContext context, Way way) {
    way.write.accept(context, context.getBean(Orders.class).save(new Order("ada", 1_999)).id());
  }

  private long orders() {
    return sql.sql("SELECT count(*) FROM orders").query(Long.class).single();
  }

  private long written() {
    return sql.sql(
            "SELECT (SELECT count(*) FROM skipjack.jobs WHERE kind = 'charge-order')"
                + " + (SELECT count(*) FROM skipjack.outbox_events)")
        .query(Long.class)
        .single();
  }

  private ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(SpringOrders.class)
        .web(WebApplicationType.NONE)
        .run(
            "--spring.datasource.url=" + database.jdbcUrl(),
            "--spring.datasource.hikari.maximum-pool-size=3",
            "--skipjack.worker.enabled=false");
  }
}
