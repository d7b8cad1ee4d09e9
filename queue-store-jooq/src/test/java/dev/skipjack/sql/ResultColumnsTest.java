package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.upper;

import org.jooq.Field;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

class ResultColumnsTest {

  private static final Field<String> FIRST = field(name("a", "text"), String.class);
  private static final Field<String> SECOND = field(name("b", "text"), String.class);

  @Test
  void selectedFieldsWithEqualNamesAreFound() {
    Field<String> upperFirst = upper(FIRST);
    Field<String> upperSecond = upper(SECOND);
    ResultColumns columns =
        new ResultColumns(DSL.select(FIRST, SECOND, upperFirst).select(upperSecond));

    assertThat(columns.indexOf(FIRST)).isEqualTo(1);
    assertThat(columns.indexOf(SECOND)).isEqualTo(2);
    assertThat(columns.indexOf(upperFirst)).isEqualTo(3);
    assertThat(columns.indexOf(upperSecond)).isEqualTo(4);
  }

  @Test
  void otherFieldsAreFoundByAUniqueName() {
    ResultColumns columns = new ResultColumns(DSL.select(FIRST, upper(SECOND).as("shouted")));

    assertThat(columns.indexOf(SECOND)).isEqualTo(1);
    assertThat(columns.indexOf(field(name("shouted"), String.class))).isEqualTo(2);
  }

  @Test
  void ambiguousAndUnknownNamesAreRefused() {
    ResultColumns columns = new ResultColumns(DSL.select(FIRST, SECOND));

    assertThatThrownBy(() -> columns.indexOf(field(name("c", "text"), String.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("more than one column 'text'");
    assertThatThrownBy(() -> columns.indexOf(field(name("number"), String.class)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no column 'number'");
  }
}
