package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Rolls back savepoints at random, and checks that exactly the rows and jobs of the other parts
 * remain.
 */
@QueueTest
class NestedTransactionsTest {

  private static final List<End> ENDS = List.of(End.values());
  private static final int TRANSACTIONS = 200;
  private static final int DEPTH = 4;
  private static final int LEAST_OF_AN_END = 100;

  /** The ways to end a transaction, or the part of it after a savepoint. */
  private enum End {
    RELEASED,
    ROLLBACK_ONLY,
    EXCEPTION,
    FAILED_STATEMENT
  }

  private final QueueDatabase database;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private int users;
  private int rolledBack;

  NestedTransactionsTest(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void aSavepointRollsBackItsRowsAndJobs() {
    JdbcTemplate outside = new JdbcTemplate(database.dataSource());
    outside.execute("CREATE TABLE users (name text PRIMARY KEY)");
    outside.execute("INSERT INTO users VALUES ('taken')");
    Set<String> committed = new HashSet<>();
    Contexts.on(database)
        .withPropertyValues("skipjack.worker.enabled=false")
        .run(
            context -> {
              TransactionTemplate nested =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
              Scopes scopes =
                  new Scopes(
                      nested, context.getBean(JdbcTemplate.class), context.getBean(Jobs.class));
              for (int i = 0; i < TRANSACTIONS; i++) {
                committed.addAll(scopes.run(DEPTH));
              }
            });

    assertThat(outside.queryForList("SELECT name FROM users WHERE name <> 'taken'", String.class))
        .as("seed %d", seed)
        .containsExactlyInAnyOrderElementsOf(committed);
    assertThat(outside.queryForList("SELECT payload ->> 'user' FROM skipjack.jobs", String.class))
        .as("seed %d", seed)
        .containsExactlyInAnyOrderElementsOf(committed);
    assertThat(committed).as("seed %d", seed).hasSizeGreaterThan(LEAST_OF_AN_END);
    assertThat(rolledBack).as("seed %d", seed).isGreaterThan(LEAST_OF_AN_END);
  }

  private final class Scopes {
    private final TransactionTemplate nested;
    private final JdbcTemplate sql;
    private final Jobs jobs;

    Scopes(TransactionTemplate nested, JdbcTemplate sql, Jobs jobs) {
      this.nested = nested;
      this.sql = sql;
      this.jobs = jobs;
    }

    /**
     * Runs a transaction, or a savepoint of the current one, and returns the users that exist after
     * it.
     */
    Set<String> run(int depth) {
      Set<String> signedUp = new HashSet<>();
      End end = random.nextBoolean() ? End.RELEASED : ENDS.get(random.nextInt(ENDS.size()));
      try {
        nested.executeWithoutResult(
            status -> {
              signUp(signedUp);
              while (depth > 1 && random.nextBoolean()) {
                signedUp.addAll(run(depth - 1));
                signUp(signedUp);
              }
              finish(end, status);
            });
      } catch (IntendedException | DuplicateKeyException expected) {
        assertThat(end).as("seed %d", seed).isIn(End.EXCEPTION, End.FAILED_STATEMENT);
      }
      if (end == End.RELEASED) {
        return signedUp;
      }
      rolledBack++;
      return Set.of();
    }

    private void signUp(Set<String> signedUp) {
      String user = "user-" + users++;
      sql.update("INSERT INTO users VALUES (?)", user);
      jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
      signedUp.add(user);
    }

    private void finish(End end, TransactionStatus status) {
      switch (end) {
        case RELEASED -> {}
        case ROLLBACK_ONLY -> status.setRollbackOnly();
        case EXCEPTION -> throw new IntendedException();
        case FAILED_STATEMENT -> sql.update("INSERT INTO users VALUES ('taken')");
      }
    }
  }

  private static final class IntendedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
