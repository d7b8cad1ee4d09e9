package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.embedded.EmbeddedPostgres;
import java.util.List;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

class ExampleDatabaseTest {

  @Test
  void databaseOfTheArgumentIsUsedAndItsPublicSchemaLeftAlone() {
    try (EmbeddedPostgres yours =
            EmbeddedPostgres.builder()
                .purpose("examples")
                .setting("fsync", "off")
                .fresh(true)
                .start();
        ExampleDatabase first = ExampleDatabase.open(yours.jdbcUrl("postgres"));
        ExampleDatabase again = ExampleDatabase.open(yours.jdbcUrl("postgres"))) {
      DSL.using(first.dataSource(), SQLDialect.POSTGRES).execute("CREATE TABLE made_by_it ()");

      assertThat(
              DSL.using(again.dataSource(), SQLDialect.POSTGRES)
                  .fetchValues(
                      "SELECT relnamespace::regnamespace::text FROM pg_class"
                          + " WHERE relname IN ('made_by_it', 'jobs') ORDER BY 1"))
          .isEqualTo(List.of("skipjack", "skipjack_examples"));
    }
  }
}
