package dev.skipjack.store.jooq;

import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.model.Routines;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.impl.SQLDataType;

/**
 * Calls the schema's own function: {@code SELECT create_partition(:parent, :containing)}. It
 * answers false when the partition was there, waits at most half a second for its locks, and takes
 * none that a claim or a completion waits for. A function of the schema's owner, so that a worker's
 * role needs no right to create tables.
 */
final class CreatePartitionStatement {

  private static final Param<String> PARENT = param("parent", String.class);
  private static final Param<String> CONTAINING = param("containing", String.class);

  private CreatePartitionStatement() {}

  static ResultQuery<?> query() {
    return select(Routines.createPartition(PARENT, cast(CONTAINING, SQLDataType.INSTANT)));
  }

  static Arguments arguments(Partition partition) {
    return new Arguments()
        .text("parent", partition.of().table().getName())
        .text("containing", partition.start().toString());
  }
}
