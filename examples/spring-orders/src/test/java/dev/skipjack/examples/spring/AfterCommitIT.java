package dev.skipjack.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.Jobs;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Tests that callbacks can enqueue jobs after the end of JPA's transactions. */
@QueueTest
class AfterCommitIT {

  private final QueueDatabase database;

  AfterCommitIT(QueueDatabase database) {
    this.database = database;
  }

  /** If the provider disables auto-commit, Hibernate does not change the connection's mode. */
  @ParameterizedTest
  @CsvSource({"true, false", "false, false", "false, true"})
  void jobsAreCommittedInAnyAutoCommitMode(boolean autoCommit, boolean providerDisablesAutoCommit) {
    List<UUID> saved = new ArrayList<>(); // the first is committed, the second rolled back
    List<UUID> enqueued = new ArrayList<>();
    try (ConfigurableApplicationContext context = start(autoCommit, providerDisablesAutoCommit)) {
      TransactionTemplate transaction = context.getBean(TransactionTemplate.class);
      Orders orders = context.getBean(Orders.class);
      Jobs jobs = context.getBean(Jobs.class);
      for (boolean isRolledBack : new boolean[] {false, true}) {
        transaction.executeWithoutResult(
            status -> {
              UUID order = orders.save(new Order("ada", 1_999)).id();
              saved.add(order);
              TransactionSynchronizationManager.registerSynchronization(
                  new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                      enqueue();
                      // A query begins a transaction if auto-commit is off.
                      assertThat(orders.existsById(order)).isTrue();
                      enqueue();
                    }

                    @Override
                    public void afterCompletion(int status) {
                      enqueue();
                    }

                    private void enqueue() {
                      UUID id = UUID.randomUUID();
                      enqueued.add(id);
                      jobs.enqueueAll(Payments.CHARGE_ORDER, List.of(new ChargeOrder(id)));
                    }
                  });
              if (isRolledBack) {
                status.setRollbackOnly();
              }
            });
      }
    }

    assertThat(enqueued).hasSize(4);
    JdbcClient sql = JdbcClient.create(database.dataSource());
    assertThat(
            sql.sql(
                    "SELECT (payload ->> 'orderId')::uuid FROM shop.jobs WHERE kind ="
                        + " 'charge-order'")
                .query(UUID.class)
                .list())
        .filteredOn(enqueued::contains)
        .containsExactlyInAnyOrderElementsOf(enqueued);
    assertThat(sql.sql("SELECT id FROM orders").query(UUID.class).list())
        .contains(saved.get(0))
        .doesNotContain(saved.get(1));
  }

  private ConfigurableApplicationContext start(
      boolean autoCommit, boolean providerDisablesAutoCommit) {
    return new SpringApplicationBuilder(SpringOrders.class)
        .web(WebApplicationType.NONE)
        .run(
            "--spring.datasource.url=" + database.jdbcUrl(),
            "--spring.datasource.hikari.auto-commit=" + autoCommit,
            "--spring.datasource.hikari.maximum-pool-size=3",
            "--spring.jpa.properties.hibernate.connection.provider_disables_autocommit="
                + providerDisablesAutoCommit,
            "--skipjack.schema=shop",
            "--skipjack.worker.enabled=false");
  }
}
