package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.model.Tables;
import java.util.Arrays;
import java.util.List;
import org.jooq.Field;
import org.junit.jupiter.api.Test;

class ArchiveTest {

  /**
   * The column that is not copied, because the statement that ends the job determines its value.
   */
  private static final String STATUS = "status";

  @Test
  void everyColumnThatBothTablesHaveIsArchived() {
    List<String> live = Arrays.stream(Tables.JOBS.fields()).map(Field::getName).toList();

    assertThat(Archive.columns(true))
        .extracting(Field::getName)
        .containsAll(
            Arrays.stream(Tables.JOBS_ARCHIVE.fields())
                .map(Field::getName)
                .filter(column -> live.contains(column) && !column.equals(STATUS))
                .toList());
  }
}
