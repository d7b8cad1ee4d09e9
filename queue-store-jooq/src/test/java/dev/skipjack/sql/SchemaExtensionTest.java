package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Finding.Level;
import dev.skipjack.api.spi.ContinuedOperations;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.operations.diagnosis.JooqDoctor;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.internal.history.JooqMaintenance;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.junit.jupiter.api.Test;

/** Tests the doctor and maintenance with working and broken extensions. */
@QueueTest
class SchemaExtensionTest {

  /** Throws from every method, as a module of another version would. */
  private static final SchemaExtension BROKEN =
      new SchemaExtension() {
        @Override
        public String dailyTable() {
          throw new NoSuchMethodError("dailyTable");
        }

        @Override
        public Statement<NoRequest, Boolean> isUsed(DSLContext dialect) {
          throw new NoSuchMethodError("isUsed");
        }

        @Override
        public List<Check> checks(DSLContext dialect) {
          throw new NoSuchMethodError("checks");
        }
      };

  private static final Extension REFUSED = new Extension("no_such_table", "no_such_table");
  private static final Extension HEALTHY = new Extension("outbox_published", "jobs");

  private enum ExtensionCheck implements DoctorCheck {
    FAILS,
    NO_TABLE,
    WORKS;

    @Override
    public String meaning() {
      return "A test.";
    }
  }

  private record Extension(String dailyTable, String read) implements SchemaExtension {

    @Override
    public Statement<NoRequest, Boolean> isUsed(DSLContext dialect) {
      Field<Boolean> isUsed =
          field(select(count().ge(inline(0))).from(table(name("skipjack", read)))).as("is_used");
      return Statement.of(dialect, select(isUsed), row -> row.flag(isUsed));
    }

    @Override
    public List<Check> checks(DSLContext dialect) {
      return List.of(
          new Check(
              ExtensionCheck.FAILS,
              transactions -> {
                throw new IllegalStateException("no luck");
              }),
          new Check(
              ExtensionCheck.NO_TABLE,
              transactions -> {
                transactions.run(REFUSED.isUsed(dialect));
                return ExtensionCheck.NO_TABLE.green("Found.");
              }),
          new Check(ExtensionCheck.WORKS, transactions -> ExtensionCheck.WORKS.green("Fine.")));
    }
  }

  @Test
  void brokenExtensionPreventsOnlyItsOwnChecks(QueueDatabase database) {
    List<Finding> findings = doctor(database, BROKEN, HEALTHY);

    assertThat(findings.subList(findings.size() - 4, findings.size()))
        .extracting(Finding::check, Finding::level, Finding::sentence)
        .containsExactly(
            tuple("extensions", Level.NOT_CHECKED, "java.lang.NoSuchMethodError: checks"),
            tuple("fails", Level.NOT_CHECKED, "java.lang.IllegalStateException: no luck"),
            tuple("no-table", Level.NOT_CHECKED, "The schema lacks a table that this check reads."),
            tuple("works", Level.GREEN, "Fine."));
    assertThat(findings).hasSize(doctor(database).size() + 4);
  }

  @Test
  void partitionsOfTheJobsAreCheckedDespiteABrokenExtension(QueueDatabase database) {
    assertThat(partitions(database, BROKEN).level()).isEqualTo(Level.NOT_CHECKED);
    new Fixture(database)
        .execute(
            "DO $$ DECLARE child regclass; BEGIN FOR child IN SELECT inhrelid::regclass FROM"
                + " pg_inherits WHERE inhparent = '@jobs_archive'::regclass LOOP EXECUTE 'DROP"
                + " TABLE ' || child; END LOOP; END $$");

    assertThat(partitions(database, BROKEN, REFUSED).level()).isEqualTo(Level.RED);
  }

  @Test
  void otherPartitionsAreCreatedDespiteABrokenExtension(QueueDatabase database) {
    CreatedPartitions created =
        maintenance(database, BROKEN, REFUSED, HEALTHY).createPartitions(Duration.ofDays(20));

    assertThat(created.created())
        .anySatisfy(name -> assertThat(name).startsWith("jobs_archive_"))
        .anySatisfy(name -> assertThat(name).startsWith("outbox_published_"));
    assertThat(created.postponed())
        .extracting(Postponed::partition, Postponed::reason)
        .containsExactly(tuple("extensions", Reason.FAILED), tuple("no_such_table", Reason.FAILED));
    assertThat(created.missingFrom()).isEmpty();
  }

  private static Finding partitions(QueueDatabase database, SchemaExtension... extensions) {
    return doctor(database, extensions).stream()
        .filter(finding -> finding.check().equals("partitions"))
        .findFirst()
        .orElseThrow();
  }

  private static List<Finding> doctor(QueueDatabase database, SchemaExtension... extensions) {
    return new JooqDoctor(
            new OwnTransactions(database.dataSource()).readOnly(),
            Lazy.of(() -> StatementDialect.forSchema(database.schema())),
            database.schema(),
            1,
            new Fixture(database).queue.reader(),
            List.of(extensions))
        .run();
  }

  private static JooqMaintenance maintenance(
      QueueDatabase database, SchemaExtension... extensions) {
    return new JooqMaintenance(
        database.dataSource(),
        new OwnTransactions(database.dataSource()),
        Lazy.of(() -> StatementDialect.forSchema(database.schema())),
        database.schema(),
        age -> {},
        (cutoffs, now, deadline) -> new Pruned(0, 0, false, List.of()),
        () -> ContinuedOperations.NONE,
        List.of(extensions));
  }
}
