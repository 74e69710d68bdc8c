// The made-up projects sessions work on: one per language and tool chain; train and test share none.
import { BLIND_PACKS } from './blind/packs.ts';
import { FRESH_PACKS } from './fresh/author.ts';
import { LATER_PACKS } from './later/packs.ts';
import type { Split } from './steps.ts';
import { UNSEEN_PACKS } from './unseen/projects.ts';

export type Pack = {
  readonly id: string;
  readonly root: string;
  readonly sources: readonly string[];
  readonly tests: readonly string[];
  readonly docs: readonly string[];
  readonly settings: readonly string[];
  /** The whole suite, one file of it, and other ways to the same. `{f}` is the file. */
  readonly suite: string;
  readonly one: string;
  readonly ways: readonly string[];
  readonly build: string;
  readonly lint: string;
  readonly names: readonly string[];
  /** A line of the language with `{n}` for a name and `{k}` for a number. */
  readonly lines: readonly string[];
  readonly test_lines: readonly string[];
  readonly green: string;
  /** Failures of the suite, each another one. `{n}`, `{f}`, `{k}`. */
  readonly red: readonly string[];
  readonly broken: string;
};

const TRAIN: readonly Pack[] = [
  {
    id: 'ts-vitest', root: '/home/dev/ferry',
    sources: ['src/quay.ts', 'src/tides.ts', 'src/booking/seat.ts', 'src/booking/price.ts', 'src/http/routes.ts', 'src/http/session.ts', 'src/store/rows.ts', 'src/cli.ts'],
    tests: ['test/quay.test.ts', 'test/seat.test.ts', 'test/price.test.ts', 'test/rows.test.ts'],
    docs: ['README.md', 'docs/api.md'], settings: ['package.json', '.github/workflows/ci.yml'],
    suite: 'npm test', one: 'npx vitest run {f}', ways: ['npm run check', 'pnpm -r test', 'make check', './dev unit-tests'], build: 'npm run build', lint: 'npx eslint src',
    names: ['berthOf', 'nextTide', 'holdSeat', 'priceFor', 'releaseHold', 'rowsOf', 'quoteTrip', 'SeatMap'],
    lines: ['export const {n} = (trip: Trip): number => trip.legs.length * {k};', '  if (trip.legs.length > {k}) return {n}(trip);', '  const held = {n}(seat, {k});'],
    test_lines: ["test('{n} keeps its promise for {k} legs', () => {", '  expect({n}(trip({k}))).toBe({k});'],
    green: ' Test Files  4 passed (4)\n      Tests  31 passed (31)', broken: "src/booking/seat.ts(41,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    red: [" FAIL  test/seat.test.ts > {n} gives the seat back\nAssertionError: expected 3 to be 2", ' FAIL  test/price.test.ts > {n} rounds up\nAssertionError: expected 41.5 to be 42', " FAIL  test/rows.test.ts > {n} skips empty rows\nTypeError: Cannot read properties of undefined (reading 'legs')"],
  },
  {
    id: 'python-pytest', root: '/home/dev/orchard',
    sources: ['orchard/harvest.py', 'orchard/weather.py', 'orchard/plots/soil.py', 'orchard/plots/map.py', 'orchard/api.py', 'orchard/store.py', 'orchard/cli.py', 'orchard/units.py'],
    tests: ['tests/test_harvest.py', 'tests/test_soil.py', 'tests/test_api.py', 'tests/test_units.py'],
    docs: ['README.md', 'docs/usage.rst'], settings: ['pyproject.toml', '.pre-commit-config.yaml'],
    suite: 'python -m pytest -q', one: 'pytest {f} -x', ways: ['tox -e py312', 'make test', 'hatch run test', 'pants test ::', 'bash ci/test-all.sh'], build: 'mypy orchard', lint: 'ruff check .',
    names: ['yield_of', 'frost_risk', 'soil_score', 'plot_at', 'season_for', 'load_plots', 'to_kilos', 'Harvest'],
    lines: ['def {n}(plot, year={k}):', '    return {n}(plot) * {k}', '    if plot.rows > {k}: return {n}(plot)'],
    test_lines: ['def test_{n}_with_{k}_rows():', '    assert {n}(plot(rows={k})) == {k}'],
    green: '47 passed in 3.10s', broken: 'orchard/plots/soil.py:33: error: Incompatible return value type (got "float", expected "int")  [return-value]',
    red: ['FAILED tests/test_soil.py::test_{n} - assert 0.4 == 0.5', 'FAILED tests/test_api.py::test_{n}_404 - KeyError: "plot"', 'FAILED tests/test_units.py::test_{n} - ValueError: unknown unit'],
  },
  {
    id: 'go', root: '/home/dev/beacon',
    sources: ['internal/lamp/lamp.go', 'internal/lamp/pulse.go', 'internal/route/route.go', 'internal/route/table.go', 'cmd/beacond/main.go', 'internal/store/disk.go', 'internal/store/index.go', 'api/handler.go'],
    tests: ['internal/lamp/lamp_test.go', 'internal/route/route_test.go', 'internal/store/disk_test.go', 'api/handler_test.go'],
    docs: ['README.md', 'docs/protocol.md'], settings: ['go.mod', '.golangci.yml'],
    suite: 'go test ./...', one: 'go test ./internal/lamp -run {f}', ways: ['gotestsum -- ./...', 'make test-all', 'bazel test //...'], build: 'go build ./...', lint: 'golangci-lint run',
    names: ['PulseAt', 'RouteFor', 'OpenDisk', 'Dim', 'TableOf', 'Handle', 'IndexKey', 'Lamp'],
    lines: ['func {n}(at int) int { return at * {k} }', '\tif at > {k} { return {n}(at) }', '\tlimit := {n}({k})'],
    test_lines: ['func Test{n}{k}(t *testing.T) {', '\tif got := {n}({k}); got != {k} { t.Fatal(got) }'],
    green: 'ok  \tbeacon/internal/lamp\t0.21s\nok  \tbeacon/internal/route\t0.08s', broken: 'internal/route/table.go:52:9: undefined: rowAt',
    red: ['--- FAIL: Test{n} (0.00s)\n    lamp_test.go:31: got 4, want 5', '--- FAIL: Test{n}Empty (0.00s)\npanic: runtime error: index out of range [0]', '--- FAIL: Test{n}Order (0.01s)\n    route_test.go:77: routes out of order'],
  },
  {
    id: 'ruby-rspec', root: '/home/dev/larder',
    sources: ['lib/larder/shelf.rb', 'lib/larder/jar.rb', 'lib/larder/recipe.rb', 'lib/larder/report.rb', 'app/models/pantry.rb', 'app/controllers/shelves_controller.rb', 'lib/larder/cli.rb', 'lib/larder/store.rb'],
    tests: ['spec/shelf_spec.rb', 'spec/jar_spec.rb', 'spec/recipe_spec.rb', 'spec/pantry_spec.rb'],
    docs: ['README.md', 'docs/recipes.md'], settings: ['Gemfile', 'config/database.yml'],
    suite: 'bundle exec rspec', one: 'bundle exec rspec {f}', ways: ['bin/rails test', 'bundle exec rake spec', 'docker compose run app bundle exec rspec'], build: 'bundle exec srb tc', lint: 'bundle exec rubocop',
    names: ['shelf_for', 'expires_on', 'ripe?', 'portions', 'label_of', 'weigh', 'restock', 'Jar'],
    lines: ['  def {n}(jar, days = {k})', '    return {n}(jar) if jar.days > {k}', '    count = {n}(jar) + {k}'],
    test_lines: ["  it '{n} holds for {k} days' do", '    expect({n}(jar({k}))).to eq({k})'],
    green: '52 examples, 0 failures', broken: 'lib/larder/jar.rb:18: Method days_left does not exist on NilClass',
    red: ["rspec ./spec/shelf_spec.rb:14 # {n} puts old jars first\nexpected: 3 got: 4", "rspec ./spec/jar_spec.rb:40 # {n} knows its date\nNoMethodError: undefined method `to_date' for nil", 'rspec ./spec/recipe_spec.rb:8 # {n} scales\nexpected: 2.5 got: 2'],
  },
  {
    id: 'java-gradle', root: '/home/dev/kiln',
    sources: ['app/src/main/java/kiln/Oven.java', 'app/src/main/java/kiln/Curve.java', 'app/src/main/java/kiln/Batch.java', 'app/src/main/java/kiln/Api.java', 'app/src/main/java/kiln/Store.java', 'core/src/main/java/kiln/Clock.java', 'core/src/main/java/kiln/Alarm.java', 'core/src/main/java/kiln/Unit.java'],
    tests: ['app/src/test/java/kiln/OvenTest.java', 'app/src/test/java/kiln/CurveTest.java', 'app/src/test/java/kiln/BatchTest.java', 'core/src/test/java/kiln/ClockTest.java'],
    docs: ['README.md', 'docs/curves.md'], settings: ['build.gradle', 'settings.gradle'],
    suite: './gradlew test', one: './gradlew :app:test --tests {f}', ways: ['./gradlew check', 'mvn -q verify', 'make check'], build: './gradlew assemble', lint: './gradlew spotlessCheck',
    names: ['heatTo', 'curveAt', 'openBatch', 'coolDown', 'alarmFor', 'tickOf', 'degrees', 'Batch'],
    lines: ['    int {n}(int at) { return at + {k}; }', '        if (at > {k}) return {n}(at);', '        final int held = {n}({k});'],
    test_lines: ['    @Test void {n}Holds{k}() {', '        assertEquals({k}, {n}({k}));'],
    green: 'BUILD SUCCESSFUL in 9s\n12 actionable tasks: 4 executed', broken: 'Curve.java:71: error: cannot find symbol\n    symbol: method peak()',
    red: ['OvenTest > {n}() FAILED\n    expected: <900> but was: <880>', 'CurveTest > {n}Falls() FAILED\n    java.lang.NullPointerException', 'BatchTest > {n}IsClosed() FAILED\n    java.lang.IllegalStateException: still open'],
  },
];

const TEST: readonly Pack[] = [
  {
    id: 'rust-cargo', root: '/home/dev/weft',
    sources: ['src/loom.rs', 'src/thread.rs', 'src/pattern/mod.rs', 'src/pattern/repeat.rs', 'src/main.rs', 'src/spool.rs', 'crates/dye/src/lib.rs', 'crates/dye/src/mix.rs'],
    tests: ['tests/loom.rs', 'tests/pattern.rs', 'tests/spool.rs', 'crates/dye/tests/mix.rs'],
    docs: ['README.md', 'docs/patterns.md'], settings: ['Cargo.toml', 'rust-toolchain.toml'],
    suite: 'cargo test', one: 'cargo test --test {f}', ways: ['cargo nextest run', 'just test', 'cargo test --workspace --all-features'], build: 'cargo check', lint: 'cargo clippy -- -D warnings',
    names: ['warp_at', 'cross', 'mix_dye', 'repeat_len', 'spool_up', 'tension', 'cut', 'Loom'],
    lines: ['pub fn {n}(at: usize) -> usize { at * {k} }', '    if at > {k} { return {n}(at); }', '    let width = {n}({k});'],
    test_lines: ['#[test] fn {n}_holds_{k}() {', '    assert_eq!({n}({k}), {k});'],
    green: 'test result: ok. 38 passed; 0 failed; 0 ignored', broken: 'error[E0382]: use of moved value: `spool`\n  --> src/spool.rs:88:20',
    red: ["thread '{n}_is_even' panicked at tests/loom.rs:22:5: assertion `left == right` failed", "thread '{n}_repeats' panicked at tests/pattern.rs:51:9: index out of bounds: the len is 4", "thread '{n}_mixes' panicked at crates/dye/tests/mix.rs:9:5: called `Option::unwrap()` on a `None` value"],
  },
  {
    id: 'php-phpunit', root: '/home/dev/parish',
    sources: ['src/Register/Entry.php', 'src/Register/Book.php', 'src/Http/EntryController.php', 'src/Http/Kernel.php', 'src/Store/Archive.php', 'src/Calendar/Feast.php', 'src/Calendar/Moon.php', 'bin/console.php'],
    tests: ['tests/Register/EntryTest.php', 'tests/Register/BookTest.php', 'tests/Calendar/FeastTest.php', 'tests/Store/ArchiveTest.php'],
    docs: ['README.md', 'docs/register.md'], settings: ['composer.json', 'phpstan.neon'],
    suite: 'vendor/bin/phpunit', one: 'vendor/bin/phpunit {f}', ways: ['composer test', 'php artisan test --parallel', 'vendor/bin/pest'], build: 'vendor/bin/phpstan analyse', lint: 'vendor/bin/php-cs-fixer fix --dry-run',
    names: ['entryFor', 'pageOf', 'easterOf', 'archiveBook', 'moonAt', 'sealEntry', 'dayNumber', 'Book'],
    lines: ['    public function {n}(int $at): int { return $at + {k}; }', '        if ($at > {k}) { return $this->{n}($at); }', '        $page = $this->{n}({k});'],
    test_lines: ['    public function test{n}Holds{k}(): void {', '        self::assertSame({k}, $this->book->{n}({k}));'],
    green: 'OK (64 tests, 181 assertions)', broken: ' 41  Parameter #1 $at of method Book::pageOf() expects int, string given.',
    red: ['1) EntryTest::{n}\nFailed asserting that 12 is identical to 13.', '1) FeastTest::{n}InLeapYears\nFailed asserting that two dates are equal.', '1) ArchiveTest::{n}\nTypeError: Archive::open(): Argument #1 must be of type string, null given'],
  },
  {
    id: 'elixir-mix', root: '/home/dev/quarry',
    sources: ['lib/quarry/block.ex', 'lib/quarry/cut.ex', 'lib/quarry/cart.ex', 'lib/quarry_web/router.ex', 'lib/quarry_web/live/yard.ex', 'lib/quarry/repo.ex', 'lib/quarry/grade.ex', 'lib/quarry/order.ex'],
    tests: ['test/quarry/block_test.exs', 'test/quarry/cart_test.exs', 'test/quarry/grade_test.exs', 'test/quarry_web/yard_test.exs'],
    docs: ['README.md', 'guides/orders.md'], settings: ['fly.toml', 'docker-compose.yml'],
    suite: 'mix test', one: 'mix test {f}', ways: ['MIX_ENV=test mix test --cover', 'mix do compile, test', 'earthly +test'], build: 'mix compile --warnings-as-errors', lint: 'mix credo --strict',
    names: ['split_block', 'grade_of', 'load_cart', 'weigh_in', 'ship', 'yard_rows', 'order_total', 'Cart'],
    lines: ['  def {n}(block, at \\\\ {k}) do', '    if at > {k}, do: {n}(block), else: at', '    weight = {n}(block) + {k}'],
    test_lines: ['  test "{n} holds for {k}" do', '    assert {n}(block({k})) == {k}'],
    green: '73 tests, 0 failures', broken: '== Compilation error in file lib/quarry/cut.ex ==\n** (CompileError) undefined function edge/1',
    red: ['  1) test {n} keeps weight (Quarry.BlockTest)\n     left:  14\n     right: 15', '  1) test {n} empties the cart (Quarry.CartTest)\n     ** (KeyError) key :load not found', '  1) test {n} orders by grade (Quarry.GradeTest)\n     ** (FunctionClauseError) no function clause matching'],
  },
  {
    id: 'csharp-dotnet', root: '/home/dev/Signal',
    sources: ['src/Signal.Core/Mast.cs', 'src/Signal.Core/Band.cs', 'src/Signal.Core/Relay.cs', 'src/Signal.Api/RelayController.cs', 'src/Signal.Api/Program.cs', 'src/Signal.Store/Log.cs', 'src/Signal.Store/Tape.cs', 'src/Signal.Core/Noise.cs'],
    tests: ['test/Signal.Core.Tests/MastTests.cs', 'test/Signal.Core.Tests/BandTests.cs', 'test/Signal.Api.Tests/RelayTests.cs', 'test/Signal.Store.Tests/TapeTests.cs'],
    docs: ['README.md', 'docs/relays.md'], settings: ['Directory.Build.props', 'Signal.sln'],
    suite: 'dotnet test', one: 'dotnet test --filter {f}', ways: ['dotnet test Signal.sln -c Release', './build.sh --target Test', 'nuke Test'], build: 'dotnet build', lint: 'dotnet format --verify-no-changes',
    names: ['TuneTo', 'BandOf', 'RelayTo', 'NoiseAt', 'Rewind', 'Gain', 'MastFor', 'Tape'],
    lines: ['    public int {n}(int at) => at * {k};', '        if (at > {k}) return {n}(at);', '        var gain = {n}({k});'],
    test_lines: ['    [Fact] public void {n}_holds_{k}() {', '        Assert.Equal({k}, mast.{n}({k}));'],
    green: 'Passed!  - Failed: 0, Passed: 57, Skipped: 0, Total: 57', broken: 'Relay.cs(64,13): error CS0103: The name \'hop\' does not exist in the current context',
    red: ['  Failed MastTests.{n}_is_stable [12 ms]\n  Assert.Equal() Failure: Expected: 7 Actual: 6', '  Failed BandTests.{n}_wraps [3 ms]\n  System.ArgumentOutOfRangeException', '  Failed RelayTests.{n}_answers [41 ms]\n  Expected OK, got NotFound'],
  },
  {
    id: 'cpp-ctest', root: '/home/dev/sextant',
    sources: ['src/star.cpp', 'src/star.hpp', 'src/horizon.cpp', 'src/almanac.cpp', 'src/fix.cpp', 'include/sextant/angle.hpp', 'src/main.cpp', 'src/chart.cc'],
    tests: ['tests/star_test.cpp', 'tests/fix_test.cpp', 'tests/almanac_test.cpp', 'tests/angle_test.cpp'],
    docs: ['README.md', 'docs/almanac.md'], settings: ['CMakeLists.txt', 'vcpkg.json'],
    suite: 'ctest --test-dir build', one: 'ctest --test-dir build -R {f}', ways: ['cmake --build build --target test', 'ninja -C build test', 'meson test -C build'], build: 'cmake --build build', lint: 'clang-tidy src/*.cpp',
    names: ['altitudeOf', 'dipAt', 'fixFrom', 'azimuth', 'refract', 'pageFor', 'toRadians', 'Star'],
    lines: ['int {n}(int at) { return at * {k}; }', '    if (at > {k}) return {n}(at);', '    const auto dip = {n}({k});'],
    test_lines: ['TEST({n}, Holds{k}) {', '    EXPECT_EQ({n}({k}), {k});'],
    green: '100% tests passed, 0 tests failed out of 29', broken: "src/fix.cpp:90:14: error: no member named 'lat' in 'Fix'",
    red: ['3/29 Test #3: {n} ...***Failed\n  Expected equality: 0.52 vs 0.53', '11/29 Test #11: {n}.Polar ...***Exception: SegFault', '17/29 Test #17: {n}.Leap ...***Failed\n  day 366 missing'],
  },
  {
    id: 'django', root: '/home/dev/gallery',
    sources: ['gallery/hang/models.py', 'gallery/hang/views.py', 'gallery/hang/forms.py', 'gallery/loan/models.py', 'gallery/loan/tasks.py', 'gallery/urls.py', 'gallery/search.py', 'gallery/labels.py'],
    tests: ['gallery/hang/tests/test_models.py', 'gallery/hang/tests/test_views.py', 'gallery/loan/tests/test_tasks.py', 'gallery/tests/test_search.py'],
    docs: ['README.md', 'docs/loans.md'], settings: ['deploy/gallery.ini', 'requirements.txt'],
    suite: 'python manage.py test', one: 'python manage.py test {f}', ways: ['uv run pytest', 'poetry run pytest gallery', 'docker compose exec web python manage.py test'], build: 'python manage.py check', lint: 'flake8 gallery',
    names: ['wall_for', 'label_text', 'due_back', 'insure', 'hang_at', 'room_rows', 'search_works', 'Loan'],
    lines: ['def {n}(work, room={k}):', '    return {n}(work) + {k}', '    if work.width > {k}: return {n}(work)'],
    test_lines: ['    def test_{n}_with_{k}(self):', '        self.assertEqual({n}(self.work), {k})'],
    green: 'Ran 88 tests in 6.402s\n\nOK', broken: 'SystemCheckError: hang.Work.room: (fields.E300) Field defines a relation with model Room, which is not installed.',
    red: ['FAIL: test_{n} (hang.tests.test_models.WorkTests)\nAssertionError: 2 != 3', 'ERROR: test_{n} (loan.tests.test_tasks.LoanTests)\ndjango.db.utils.IntegrityError: NOT NULL constraint failed', 'FAIL: test_{n}_empty (gallery.tests.test_search)\nAssertionError: 200 != 404'],
  },
  {
    id: 'bun-monorepo', root: '/home/dev/atlas',
    sources: ['packages/tiles/src/tile.ts', 'packages/tiles/src/fetch.ts', 'packages/view/src/pan.tsx', 'packages/view/src/zoom.tsx', 'packages/core/src/bounds.ts', 'packages/core/src/layers.ts', 'apps/web/src/main.tsx', 'packages/core/src/project.ts'],
    tests: ['packages/tiles/src/tile.spec.ts', 'packages/view/src/pan.spec.tsx', 'packages/core/src/bounds.spec.ts', 'packages/core/src/layers.spec.ts'],
    docs: ['README.md', 'packages/core/README.md'], settings: ['turbo.json', 'bunfig.toml'],
    suite: 'bun test', one: 'bun test {f}', ways: ['turbo run test', 'bun run --filter "*" test', 'npx playwright test'], build: 'bun run typecheck', lint: 'bunx biome check .',
    names: ['tileAt', 'panBy', 'zoomTo', 'boundsOf', 'layerFor', 'unproject', 'prefetch', 'Layer'],
    lines: ['export function {n}(at: number): number { return at * {k}; }', '  if (at > {k}) return {n}(at);', '  const edge = {n}({k});'],
    test_lines: ["it('{n} holds at {k}', () => {", '  expect({n}({k})).toEqual({k});'],
    green: ' 96 pass\n 0 fail\nRan 96 tests across 14 files.', broken: "packages/view/src/pan.tsx(12,5): error TS2554: Expected 2 arguments, but got 1.",
    red: ['(fail) {n} > stays in the world [2.1ms]\n  Expected: 180  Received: 181', '(fail) {n} > merges layers [0.4ms]\n  TypeError: layer.tiles is not iterable', '(fail) {n} > fetches once [9ms]\n  Expected: 1  Received: 2'],
  },
];

/** The projects of one split. */
export const packsOf = (split: Split): readonly Pack[] => ({ train: TRAIN, test: TEST, fresh: FRESH_PACKS, later: LATER_PACKS, blind: BLIND_PACKS, unseen: UNSEEN_PACKS })[split];
