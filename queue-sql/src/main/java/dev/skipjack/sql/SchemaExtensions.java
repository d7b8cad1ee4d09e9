package dev.skipjack.sql;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jooq.DSLContext;

/** Finds the extensions of the schema on the class path. */
public final class SchemaExtensions {

  /** The maximum number of failures. If the class path is unreadable, each try fails. */
  private static final int MOST_FAILURES = 10;

  private SchemaExtensions() {}

  /** {@return the extensions} One that cannot be loaded is replaced by one that always throws. */
  public static List<SchemaExtension> load() {
    List<SchemaExtension> found = new ArrayList<>();
    Iterator<SchemaExtension> providers =
        ServiceLoader.load(SchemaExtension.class, SchemaExtension.class.getClassLoader())
            .iterator();
    for (int failures = 0; failures < MOST_FAILURES; ) {
      try {
        if (!providers.hasNext()) {
          break;
        }
        found.add(providers.next());
      } catch (ServiceConfigurationError | LinkageError failure) {
        failures++;
        found.add(new Broken(failure));
      }
    }
    return List.copyOf(found);
  }

  /** An extension that could not be loaded. */
  private record Broken(Error failure) implements SchemaExtension {

    @Override
    public String dailyTable() {
      throw failure;
    }

    @Override
    public Statement<NoRequest, Boolean> isUsed(DSLContext dialect) {
      throw failure;
    }

    @Override
    public List<Check> checks(DSLContext dialect) {
      throw failure;
    }
  }
}
