package dev.skipjack.testkit.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.ObjectIdGenerators;
import dev.skipjack.api.PayloadException;
import dev.skipjack.testkit.PayloadCodecContract;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Currency;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The tests that a codec with a Jackson mapper must pass. It must reject payload classes that
 * Jackson can write but never read, accept all others, and not quote payloads in its messages. The
 * tests use only the annotations that Jackson 2 and 3 share.
 */
@NullUnmarked // the payload classes are like those of applications without checkers
@SuppressWarnings({"ArrayRecordComponent", "ClassCanBeStatic", "UnusedVariable", "UnusedMethod"})
public abstract class JacksonCodecContract extends PayloadCodecContract {

  /** Constructor for subclasses. */
  protected JacksonCodecContract() {}

  /**
   * Returns classes that can be read only because of annotations of the mapper's own packages, such
   * as {@code @JsonDeserialize}.
   */
  protected abstract List<Class<?>> classesWithAnnotationsOfTheMapper();

  /**
   * Returns a class whose own deserializer reads the second element of an array as {@link
   * TwoParameters}. The check cannot detect that.
   */
  protected abstract Class<?> classWithReaderOfTwoParameters();

  // ---- refused ----

  /** No deserializer can choose a class that implements it. */
  protected interface Shape {
    /** Is written as a property. */
    int size();
  }

  /**
   * An implementation of {@link Shape}.
   *
   * @param size is written as a property
   */
  public record Circle(@JsonProperty int size) implements Shape {}

  sealed interface Sealed permits Sealed.One {
    record One(int id) implements Sealed {}
  }

  /** No deserializer can create an instance. */
  protected abstract static class Base {
    public int id;
  }

  record InField(int id, Shape shape) {}

  record InSealedField(Sealed sealed) {}

  record InAbstractField(Base base) {}

  record InList(List<Shape> shapes) {}

  record InMap(Map<String, Shape> shapes) {}

  record InArray(Shape[] shapes) {}

  record Nested(int id, Inner inner) {
    record Inner(List<InField> fields) {}
  }

  /** Has getters and a constructor with parameters, like a compiled Kotlin data class. */
  public static class TwoParameters {
    private final int id;
    private final String name;

    public TwoParameters(int id, String name) {
      this.id = id;
      this.name = name;
    }

    public int getId() {
      return id;
    }

    public String getName() {
      return name;
    }
  }

  /** Jackson would call the constructor with a JSON string, but it writes an object. */
  public static class OneParameter {
    private final String name;

    public OneParameter(String name) {
      this.name = name;
    }

    public String getName() {
      return name;
    }
  }

  record HoldsOneParameter(OneParameter part) {}

  class InnerClass {
    public int id;
  }

  /** Has two setters, between which Jackson cannot choose. */
  public static class Conflicting {
    private int at;

    public int getAt() {
      return at;
    }

    public void setAt(List<String> at) {}

    public void setAt(Map<String, String> at) {}
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Shape.class,
        Sealed.class,
        Base.class,
        InField.class,
        InSealedField.class,
        InAbstractField.class,
        InList.class,
        InMap.class,
        InArray.class,
        Nested.class,
        TwoParameters.class,
        OneParameter.class,
        HoldsOneParameter.class,
        InnerClass.class,
        Conflicting.class,
        Thread.class,
        Runnable.class
      })
  void classThatCanNeverBeReadIsRefused(Class<?> payloadClass) {
    assertThatThrownBy(() -> codec().requireReadable(payloadClass))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith(
            "Payload class %s cannot be read from JSON, at ".formatted(payloadClass.getName()));
  }

  @Test
  void refusalNamesThePropertyAndTheFix() {
    assertThatThrownBy(() -> codec().requireReadable(Nested.class))
        .hasMessageContaining("at '/inner/fields/*/shape': " + Shape.class.getName())
        .hasMessageContaining("is an interface")
        .hasMessageContaining("@JsonTypeInfo");
    assertThatThrownBy(() -> codec().requireReadable(InAbstractField.class))
        .hasMessageContaining("at '/base'")
        .hasMessageContaining("is abstract");
    assertThatThrownBy(() -> codec().requireReadable(TwoParameters.class))
        .hasMessageContaining("at the top level: " + TwoParameters.class.getName())
        .hasMessageContaining("no constructor that can be called")
        .hasMessageContaining("jackson-module-kotlin");
    assertThatThrownBy(() -> codec().requireReadable(HoldsOneParameter.class))
        .hasMessageContaining("at '/part': " + OneParameter.class.getName());
  }

  // ---- accepted ----

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(value = Dog.class, name = "dog"))
  interface Animal {}

  record Dog(int id) implements Animal {}

  record Typed(
      Animal animal,
      List<Animal> animals,
      Map<String, Animal> byName,
      Animal[] array,
      List<List<Animal>> lists,
      @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) Shape shape,
      @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) List<Shape> shapes) {}

  public static class WithCreator {
    private final int id;

    private WithCreator(int id) {
      this.id = id;
    }

    @JsonCreator
    static WithCreator of(@JsonProperty("id") int id) {
      return new WithCreator(id);
    }

    public int getId() {
      return id;
    }
  }

  /** An interface that creates its own instances. */
  interface Made {
    String getName();

    @JsonCreator
    static Made of(@JsonProperty("name") String name) {
      return () -> name;
    }
  }

  /** Written with a property that cannot be read separately, but read as a whole. */
  public static class Delegating {
    private final Map<String, Object> all;
    private Shape shape = new Circle(1);

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public Delegating(Map<String, Object> all) {
      this.all = all;
    }

    public Object getName() {
      return all.get("name");
    }

    public Shape getShape() {
      return shape;
    }
  }

  /** Written as a string, and read with the constructor that takes a string. */
  public static class Code {
    private final String text;

    public Code(String text) {
      this.text = text;
    }

    @JsonValue
    public String text() {
      return text;
    }
  }

  record Library(
      Instant at,
      Duration lasts,
      LocalDate day,
      ZoneId zone,
      Optional<String> name,
      Optional<Shape> shape,
      AtomicReference<Shape> reference,
      AtomicInteger count,
      Object anything,
      Number number,
      CharSequence text,
      byte[] bytes,
      int[] ints,
      BigDecimal amount,
      UUID id,
      URI uri,
      Locale locale,
      Currency currency,
      Class<?> type) {}

  record Containers(
      List<String> list,
      Set<Integer> set,
      Collection<Object> collection,
      Iterable<String> iterable,
      Map<String, Object> map,
      SortedMap<Integer, List<TimeUnit>> sorted,
      EnumMap<TimeUnit, String> byEnum,
      Map.Entry<String, Integer> entry,
      List<?> wild,
      @SuppressWarnings("rawtypes") List raw) {}

  record Generic<T>(T value, List<T> values) {}

  record HoldsGeneric(Generic<String> texts, Generic<? extends Number> numbers) {}

  record Cyclic(int id, List<Cyclic> children, Map<String, Cyclic> byName) {}

  public static class Bean {
    public int id;
    public Bean parent;
    private Shape shape;

    /** Neither property is written, so neither needs to be readable. */
    @JsonIgnore public Shape ignored;

    public void setShape(Shape shape) {
      this.shape = shape;
    }

    boolean hasShape() {
      return shape != null;
    }
  }

  record ReadOnly(int id, @JsonProperty(access = JsonProperty.Access.READ_ONLY) Shape shape) {}

  @JsonIgnoreProperties("shape")
  record IgnoresByName(int id, Shape shape) {}

  @JsonIdentityInfo(generator = ObjectIdGenerators.PropertyGenerator.class, property = "id")
  public static class Identified {
    public int id;
    public Identified next;
  }

  record Empty() {}

  enum Direction {
    UP {
      @Override
      int step() {
        return 1;
      }
    };

    abstract int step();
  }

  record HoldsEnum(Direction direction) {}

  public static class Failing extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Animal.class,
        Dog.class,
        Typed.class,
        WithCreator.class,
        Made.class,
        Delegating.class,
        Code.class,
        Library.class,
        Containers.class,
        Generic.class,
        HoldsGeneric.class,
        Cyclic.class,
        Bean.class,
        ReadOnly.class,
        IgnoresByName.class,
        Identified.class,
        Empty.class,
        Direction.class,
        HoldsEnum.class,
        Failing.class,
        Object.class,
        String.class,
        int.class,
        Integer.class,
        long[].class,
        Map.class,
        List.class,
        String[].class,
        Instant.class,
        Number.class,
        UUID.class,
        Void.class
      })
  void classThatMayBeReadableIsAccepted(Class<?> payloadClass) {
    assertThatCode(() -> codec().requireReadable(payloadClass)).doesNotThrowAnyException();
  }

  @Test
  void classThatTheAnnotationsOfTheMapperMakeReadableIsAccepted() {
    assertThat(classesWithAnnotationsOfTheMapper())
        .isNotEmpty()
        .allSatisfy(
            each -> assertThatCode(() -> codec().requireReadable(each)).doesNotThrowAnyException());
  }

  // ---- errors of decoding ----

  record Item(long id, LocalDate day) {}

  record Order(
      List<Item> items, Map<String, Item> byName, AtomicReference<Shape> shape, Checked checked) {}

  record Checked(int number) {
    Checked {
      if (number < 0) {
        throw new IllegalArgumentException("a number is not negative");
      }
    }
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes({
    @JsonSubTypes.Type(value = Cat.class, name = "cat"),
    @JsonSubTypes.Type(value = Dog.class, name = "dog")
  })
  interface Pet {}

  public static class Cat extends TwoParameters implements Pet {
    public Cat(int id, String name) {
      super(id, name);
    }
  }

  private PayloadException refusal(String json, Class<?> payloadClass) {
    return catchThrowableOfType(PayloadException.class, () -> codec().decode(json, payloadClass));
  }

  @Test
  void mismatchIsLocatedWithoutTheKeysAndValuesOfThePayload() {
    PayloadException inList = refusal("{\"items\":[{\"id\":1},{\"id\":\"secret\"}]}", Order.class);
    assertThat(inList).hasMessageContaining("at '/items/1/id' (InvalidFormatException for long)");
    assertThat(inList.isPermanent()).isFalse();

    PayloadException inMap = refusal("{\"byName\":{\"secret\":{\"day\":\"secret\"}}}", Order.class);
    assertThat(inMap).hasMessageContaining("at '/byName/*/day'");

    PayloadException below = refusal("{\"secret\":[1}", Order.class);
    assertThat(below).hasMessageContaining("at the top level (");

    for (PayloadException refused : List.of(inList, inMap, below)) {
      assertThat(textOf(refused)).doesNotContain("secret");
    }
  }

  record Welcome(long userId, Ratio ratio) {
    record Ratio(double value) {}
  }

  record Names(@JsonAlias("surname") String last, Optional<String> first) {}

  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Sparse(String text, Integer number) {}

  /** Otherwise, jobs that were enqueued before a component was renamed would run with 0. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"user\": 1} | '/userId' | long",
        "{\"userId\": null} | '/userId' | long",
        "{\"userId\": 1, \"ratio\": {\"secret\": 2.5}} | '/ratio/value' | double"
      })
  void missingPrimitiveIsRefusedWithItsPosition(String json, String place, String type) {
    assertThatThrownBy(() -> codec().decode(json, Welcome.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageEndingWith(
            "JacksonCodecContract$Welcome, at %s (missing or null, which %s cannot be)"
                .formatted("'" + place + "'", type));
  }

  @Test
  void objectWithNoneOfTheComponentsIsRefused() {
    assertThatThrownBy(
            () -> codec().decode("{\"secret\": \"a\", \"family\": {\"last\": 1}}", Names.class))
        .isInstanceOf(PayloadException.class)
        .hasMessage(
            "Payload does not fit %1$s, at the top level: the object has none of the components of %1$s"
                .formatted(Names.class.getName()));
  }

  record Batch(List<Names> all, Map<String, Names> byKey) {
    Batch {
      all = all == null ? List.of() : all;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"all\": [{\"last\": \"x\"}, {\"secret\": 1}]} | '/all/1'",
        "{\"byKey\": {\"secret\": {\"family\": 1}}} | '/byKey/*'",
      })
  void innerObjectWithNoneOfTheComponentsIsRefusedWithItsPosition(String json, String place) {
    assertThatThrownBy(() -> codec().decode(json, Batch.class))
        .isInstanceOf(PayloadException.class)
        .hasMessageEndingWith(
            "Batch, at '%s': the object has none of the components of %s"
                .formatted(place, Names.class.getName()));
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(value = Refresh.class, name = "refresh"))
  sealed interface Command permits Refresh {}

  record Refresh(String only) implements Command {}

  record Tick() {}

  @Test
  void unknownFieldsAreIgnoredWhereComponentsMayBeAbsent() {
    assertThat(codec().decode("{\"region\": \"eu\"}", Tick.class)).isEqualTo(new Tick());
    assertThat(codec().decode("{\"region\": \"eu\"}", Sparse.class))
        .isEqualTo(new Sparse(null, null));
    assertThat(codec().decode("{\"@type\": \"refresh\", \"new\": 1}", Command.class))
        .isEqualTo(new Refresh(null));
  }

  record Ignored(long id, @JsonIgnore int cached) {}

  @JsonInclude(JsonInclude.Include.NON_DEFAULT)
  record Charge(long id, int tries, boolean express) {}

  @Test
  void componentThatIsNotWrittenMayBeMissing() {
    Charge charge = new Charge(7, 0, false);
    assertThat(codec().decode(codec().encode(charge), Charge.class)).isEqualTo(charge);
    assertThat(codec().decode(codec().encode(new Ignored(7, 3)), Ignored.class).id()).isEqualTo(7);
  }

  @Test
  void componentsMayBeMissingIfTheyAreReferences() {
    assertThat(codec().decode("{\"x\": [], \"surname\": \"Doe\"}", Names.class).last())
        .isEqualTo("Doe");
    assertThat(codec().decode("{\"last\": null}", Names.class).last()).isNull();
    Sparse nothing = new Sparse(null, null);
    assertThat(codec().decode(codec().encode(nothing), Sparse.class)).isEqualTo(nothing);
  }

  record Holds(Object value) {}

  /** As an entity whose session is closed. */
  static final class Detached {

    public String getName() {
      throw new IllegalStateException("the session is closed");
    }
  }

  @Test
  void valueThatCannotBeWrittenIsReportedWithItsPositionAndTheFix() {
    assertThatThrownBy(() -> codec().encode(new Holds(List.of(new Detached()))))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith(Holds.class.getName())
        .hasMessageContaining("cannot be written as JSON, at '/value/0/name': ")
        .hasMessageEndingWith(
            "Store another type there, for example a record or an id, or set a PayloadCodec that"
                + " can write it.");
  }

  record Renamed(@JsonProperty("amount") long cents, String note) {}

  @Test
  void missingPrimitiveWithAnotherNameInJsonIsRefused() {
    assertThat(codec().decode("{\"amount\": 1}", Renamed.class)).isEqualTo(new Renamed(1, null));
    assertThat(refusal("{\"note\": \"x\"}", Renamed.class))
        .hasMessageEndingWith("at '/amount' (missing or null, which long cannot be)");
  }

  @Test
  void exceptionOfAConstructorIsTheCause() {
    PayloadException refused = refusal("{\"checked\":{\"number\":-1}}", Order.class);

    assertThat(refused).hasMessageContaining("at '/checked'");
    assertThat(refused.getCause()).hasMessage("a number is not negative");
    assertThat(refused.isPermanent()).isFalse();
  }

  @Test
  void faultOfTheClassIsPermanentAndReportsWhatIsMissing() {
    PayloadException withoutCreator =
        refusal("{\"@type\":\"cat\",\"id\":1,\"name\":\"secret\"}", Pet.class);
    assertThat(withoutCreator.isPermanent()).isTrue();
    assertThat(withoutCreator)
        .hasMessageContaining(Cat.class.getName())
        .hasMessageContaining("no Creators, like default constructor, exist");

    PayloadException abstractOne = refusal("{\"shape\":{\"size\":\"secret\"}}", Order.class);
    assertThat(abstractOne.isPermanent()).isTrue();
    assertThat(abstractOne)
        .hasMessageContaining("at '/shape'")
        .hasMessageContaining("abstract types either need to be mapped to concrete types");

    PayloadException known = refusal("{\"id\":1,\"shape\":{\"size\":3}}", InField.class);
    assertThat(known.isPermanent()).isTrue();
    assertThat(known).hasMessageContaining("at '/shape': ").hasMessageContaining("@JsonTypeInfo");

    // Jackson's own message would end with the value.
    PayloadException fromText = refusal("[\"cat\",\"secret\"]", classWithReaderOfTwoParameters());
    PayloadException fromNumber = refusal("{\"pet\":471147114711}", HoldsText.class);
    for (PayloadException refused :
        List.of(withoutCreator, abstractOne, known, fromText, fromNumber)) {
      assertThat(textOf(refused)).doesNotContain("secret").doesNotContain("471147114711");
    }
  }

  record HoldsText(AtomicReference<TwoParameters> pet) {}

  private static String textOf(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
