package dev.skipjack.store.jooq.internal.history;

import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.model.Routines;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Creates a partition by calling the schema's function: {@code SELECT create_partition(:parent,
 * :containing)}. The function returns false if the partition already existed, waits at most half a
 * second for each lock, and takes no lock that blocks claims or completions. It runs with the
 * rights of the schema's owner, so a worker's role needs no right to create tables.
 */
final class CreatePartitionStatement {

  private static final Param<String> PARENT = param("parent", String.class);
  private static final Param<String> CONTAINING = param("containing", String.class);

  private static final Field<Boolean> CREATED =
      Routines.createPartition(PARENT, cast(CONTAINING, SQLDataType.INSTANT));

  private CreatePartitionStatement() {}

  /** Creates the statement. It returns whether it created the partition. */
  static Statement<Partition, Boolean> of(DSLContext dialect) {
    return Statement.of(
        dialect, select(CREATED), CreatePartitionStatement::arguments, row -> row.flag(CREATED));
  }

  private static Arguments arguments(Partition partition) {
    return new Arguments()
        .text("parent", partition.of().name())
        .text("containing", partition.start().toString());
  }
}
