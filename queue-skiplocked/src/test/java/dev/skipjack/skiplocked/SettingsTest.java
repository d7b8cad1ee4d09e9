package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.FREE_SEATS;
import static dev.skipjack.skiplocked.Fixture.HELD_SEATS;
import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Fixture.places;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.MappedSchema;
import org.jooq.conf.MappedTable;
import org.jooq.conf.RenderKeywordCase;
import org.jooq.conf.RenderMapping;
import org.jooq.conf.RenderNameCase;
import org.jooq.conf.RenderQuotedNames;
import org.jooq.conf.Settings;
import org.jooq.conf.StatementType;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the caller's jOOQ settings change only the text of the statements. */
@QueueTest
class SettingsTest {

  static Stream<Named<Settings>> settings() {
    return Stream.of(
        Named.of("default", new Settings()),
        Named.of("no schema", new Settings().withRenderSchema(false)),
        Named.of(
            "unquoted lower case",
            new Settings()
                .withRenderQuotedNames(RenderQuotedNames.NEVER)
                .withRenderNameCase(RenderNameCase.LOWER)
                .withRenderKeywordCase(RenderKeywordCase.UPPER)),
        Named.of("inlined", new Settings().withStatementType(StatementType.STATIC_STATEMENT)),
        Named.of("formatted", new Settings().withRenderFormatted(true)),
        Named.of("no attached rows", new Settings().withAttachRecords(false)),
        Named.of("at most one row", new Settings().withMaxRows(1)),
        Named.of("fetch one by one", new Settings().withFetchSize(1)),
        Named.of("optimistic locking", new Settings().withExecuteWithOptimisticLocking(true)));
  }

  @ParameterizedTest
  @MethodSource("settings")
  void claimsAndLeasesWork(Settings settings, QueueDatabase database) throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.seats("A", 4);
    assertWorks(settings, fixture);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void claimsAndLeasesWorkInAMappedSchema(Settings settings, QueueDatabase database)
      throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.db.execute("DROP SCHEMA IF EXISTS tenant CASCADE");
    fixture.db.execute("CREATE SCHEMA tenant");
    fixture.seats("A", 4);
    fixture.db.execute("ALTER TABLE seat RENAME TO place");
    fixture.db.execute("ALTER TABLE place SET SCHEMA tenant");
    Settings mapped = (Settings) settings.clone();
    mapped
        .withRenderSchema(true)
        .withRenderMapping(
            new RenderMapping()
                .withSchemata(
                    new MappedSchema()
                        .withInput("public")
                        .withOutput("tenant")
                        .withTables(new MappedTable().withInput("seat").withOutput("place"))));

    assertWorks(mapped, fixture);
  }

  private static void assertWorks(Settings settings, Fixture fixture) throws SQLException {
    try (Session session = fixture.session()) {
      DSLContext tx = DSL.using(session.connection, SQLDialect.POSTGRES, settings);

      assertThat(places(FREE_SEATS.limit(3).claim(tx))).containsExactly("A1", "A2", "A3");
      RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(tx, 3);
      assertThat(places(lease.rows())).containsExactly("A1", "A2", "A3");
      assertThat(places(lease.extend(tx, LEASE).rows())).containsExactly("A1", "A2", "A3");
      lease
          .narrowTo(lease.rows().subList(0, 2))
          .complete(tx, update -> update.set(SEAT.STATUS, "sold"));
      assertThat(lease.release(tx)).isEqualTo(1);
      assertThat(places(FREE_SEATS.limit(4).claim(tx))).containsExactly("A3", "A4");
      session.commit();
    }
  }
}
