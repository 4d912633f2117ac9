"""The style sheet of the window, with roles and sizes to be filled in by the theme.

Widgets are dressed by dynamic properties, set through `pieces`: `role` (muted, strong, heading,
title, auto, human, adjusted, alert, small, mono), `kind` (card, pill, primary, keycap, tab, bar).
"""

from string import Template

_SHEET = Template("""
QWidget { font-family: "$family"; font-size: ${font_body}px; color: $text; }
QMainWindow, QDialog, QStackedWidget, QWidget[kind="page"] { background: $window; }
QTabWidget > QStackedWidget, QDialog QStackedWidget { background: transparent; }
QTabWidget::pane { border: none; }
QLabel { background: transparent; }
QLabel:disabled { color: $disabled; }
QToolTip { background: $card; color: $text; border: ${px1}px solid $border;
    padding: ${px4}px ${px6}px; }

*[role="muted"] { color: $muted; }
*[role="small"] { color: $muted; font-size: ${font_small}px; }
*[role="tiny"] { color: $muted; font-size: ${font_tiny}px; }
*[role="strong"] { font-weight: 600; }
*[role="heading"] { font-weight: 700; }
*[role="title"] { font-weight: 700; font-size: ${font_title}px; }
*[role="figure"] { font-weight: 700; font-size: ${font_figure}px; }
*[role="auto"] { color: $auto; font-weight: 600; }
*[role="human"] { color: $human; font-weight: 600; }
*[role="adjusted"] { color: $adjusted; font-weight: 600; }
*[role="alert"] { color: $alert; }
*[role="notice"] { color: $human; }
*[weight="strong"] { font-weight: 600; }
*[role="mono"] { font-family: "$mono"; font-size: ${font_mono}px; }

QFrame[kind="card"] { background: $card; border: ${px1}px solid $border; border-radius: ${px8}px; }
QFrame[kind="card"][focused="true"] { border: ${px2}px solid $focus; }
QFrame[kind="panel"] { background: $card; border: none; }
QFrame[kind="panel"][edge="right"] { border-right: ${px1}px solid $border; }
QFrame[kind="panel"][edge="left"] { border-left: ${px1}px solid $border; }
QFrame[kind="panel"][edge="bottom"] { border-bottom: ${px1}px solid $border; }
QFrame[kind="panel"][edge="top"] { border-top: ${px1}px solid $border; }
QFrame[kind="line"] { background: $border; border: none; }
QFrame[kind="error"] { background: $alert_surface; border: none; border-radius: ${px4}px; }
QFrame[kind="warning"] { background: $warning_surface; border: none; border-radius: ${px4}px; }
QFrame[kind="said"] { background: $selection; border: none; border-radius: ${px4}px; }
QFrame[kind="floating"] { background: $card; border: ${px1}px solid $control;
    border-radius: ${px8}px; }
QFrame[kind="chip"] { background: $selection; border: ${px1}px solid $control;
    border-radius: ${px10}px; }
QFrame[kind="chip"] QPushButton { color: $text; padding: ${px1}px ${px6}px;
    border-radius: ${px8}px; font-size: ${font_small}px; }
QFrame[kind="chip"] QPushButton:focus { padding: 0 ${px5}px; }
QFrame[kind="drop"] { background: transparent; border: ${px2}px dashed $border;
    border-radius: ${px10}px; }
QFrame[kind="drop"][active="true"] { border-color: $focus; background: $selection; }

QLabel[kind="keycap"] {
    background: $field; color: $muted; font-size: ${font_tiny}px; border: ${px1}px solid $border;
    border-bottom-width: ${px2}px; border-radius: ${px4}px; padding: 0 ${px4}px; }
QLabel[kind="pill"] {
    color: $muted; font-size: ${font_small}px; border: ${px1}px solid $border;
    border-radius: ${px10}px; padding: ${px3}px ${px10}px; }
QLabel[kind="state"] { color: $card; font-weight: 700; border-radius: ${px11}px; }
QLabel[kind="state"][role="adjusted"] { background: $adjusted; }
QLabel[kind="state"][role="alert"] { background: $alert; }
QLabel[kind="state"][role="muted"] { background: $muted; }
QLabel[kind="pill"][role="human"] { color: $human; }
QLabel[kind="pill"][role="adjusted"] { color: $adjusted; }
QLabel[kind="pill"][role="alert"] { color: $alert; }

QPushButton, QToolButton {
    background: $card; border: ${px1}px solid $control; border-radius: ${px6}px;
    padding: ${px4}px ${px12}px; color: $text; }
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed { background: $selection; }
QPushButton:disabled, QToolButton:disabled { color: $disabled; border-color: $border; }
QPushButton:focus, QToolButton:focus { border: ${px2}px solid $focus;
    padding: ${px3}px ${px10}px; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }

*[kind="pillbutton"] {
    background: $card; color: $muted; border: ${px1}px solid $control; border-radius: ${px12}px;
    padding: ${px5}px ${px14}px; }
*[kind="pillbutton"]:hover { color: $text; background: $hover; }
*[kind="pillbutton"]:checked { color: $text; background: $selection; border-color: $focus; }
*[kind="pillbutton"]:focus { border: ${px2}px solid $focus; padding: ${px4}px ${px12}px; }
*[kind="pillbutton"][dense="true"] { padding: ${px2}px ${px10}px; border-radius: ${px10}px; }
*[kind="pillbutton"][dense="true"]:focus { padding: ${px1}px ${px8}px; }

*[kind="primary"] {
    background: $accent; color: $on_accent; border: ${px1}px solid $accent;
    border-radius: ${px6}px; padding: ${px6}px ${px14}px; }
*[kind="primary"]:hover { background: $accent_hover; }
*[kind="primary"]:pressed { background: $accent_pressed; }
*[kind="primary"]:disabled { background: $track; color: $disabled; border-color: $track; }
*[kind="primary"]:focus { border: ${px2}px solid $text; padding: ${px5}px ${px12}px; }

*[kind="flat"] { background: transparent; border: ${px1}px solid transparent; color: $muted;
    padding: ${px3}px ${px8}px; }
*[kind="flat"][side="leading"] { text-align: left; color: $text; }
*[kind="flat"]:hover { color: $text; background: $hover; }
*[kind="flat"]:focus { border: ${px2}px solid $focus; padding: ${px2}px ${px7}px; }
*[kind="link"] { background: transparent; border: ${px1}px solid transparent; color: $auto;
    text-decoration: underline; padding: 0 ${px2}px; }
*[kind="link"]:disabled, *[kind="flat"]:disabled { border-color: transparent; }
*[kind="link"]:focus { border: ${px1}px solid $focus; padding: 0 ${px2}px; }

*[kind="tab"] {
    background: transparent; color: $muted; border: ${px2}px solid transparent;
    border-radius: ${px6}px; padding: ${px6}px ${px14}px; }
*[kind="tab"][dense="true"] { padding: ${px6}px ${px8}px; }
*[kind="tab"]:hover { color: $text; background: $hover; }
*[kind="tab"]:checked { color: $text; background: $selection; font-weight: 600; }
*[kind="tab"]:focus { border: ${px2}px solid $focus; }
*[kind="tab"]:disabled { color: $disabled; }

*[kind="row"] { background: transparent; border: ${px2}px solid transparent;
    border-radius: ${px6}px;
    text-align: left; padding: 0; }
*[kind="row"]:hover { background: $hover; }
*[kind="row"]:disabled { border-color: transparent; }
*[kind="row"][weight="strong"]:disabled { color: $muted; }
*[kind="row"]:focus { border: ${px2}px solid $focus; padding: 0; }

QLabel[sign="auto"] { color: $auto_fill; }
QLabel[sign="human"] { color: $human_fill; }
QLabel[sign="adjusted"] { color: $adjusted_fill; }
QLabel[figure="true"] { border: ${px1}px solid transparent; border-radius: ${px4}px; }
*[kind="plot"] { border: ${px1}px solid transparent; border-radius: ${px4}px; }
*[kind="plot"]:focus { border: ${px1}px solid $focus; }
QLabel[figure="true"]:focus { border: ${px1}px solid $focus; }

QLineEdit, QTextEdit, QPlainTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
    background: $field; border: ${px1}px solid $control; border-radius: ${px6}px;
    padding: ${px5}px ${px8}px; selection-background-color: $accent; selection-color: $on_accent;
    placeholder-text-color: $muted; }
QLineEdit:focus, QTextEdit:focus, QPlainTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus { border: ${px2}px solid $focus; padding: ${px4}px ${px7}px; }
QTextEdit[kind="turntext"], QTextEdit[kind="turntext"]:focus {
    background: transparent; border: none; padding: 0; }
QFrame[kind="bubble"] {
    background: $card; border: ${px1}px solid $border; border-radius: ${px8}px; }
QFrame[kind="bubble"][side="user"] { background: $bubble; }
QLabel[kind="quote"] { border: none; border-left: ${px3}px solid $auto_fill;
    padding-left: ${px8}px; }
QLabel[found="true"] { background: $find; }
QLabel[found="stressed"] { background: $accent; color: $on_accent; }
QFrame[kind="fold"] { background: transparent; border: ${px1}px dashed $border;
    border-radius: ${px6}px; }
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {
    color: $disabled; border-color: $border; }
QCheckBox:disabled, QRadioButton:disabled { color: $disabled; }
QAbstractSpinBox QLineEdit, QComboBox QLineEdit,
QAbstractSpinBox QLineEdit:focus, QComboBox QLineEdit:focus {
    border: none; padding: 0 ${px6}px; background: transparent; }
QComboBox QLineEdit, QComboBox QLineEdit:focus { padding: 0; }
QComboBox { combobox-popup: 0; }
QComboBox::drop-down { border: none; width: ${px20}px; }
QComboBox::down-arrow { image: url("$icons/chevron-down-$scheme.svg");
    width: ${px12}px; height: ${px12}px; }
QComboBox QAbstractItemView { background: $card; border: ${px1}px solid $border;
    selection-background-color: $selection; selection-color: $text; outline: none; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {
    width: ${px16}px; border: none; background: transparent; }
QAbstractSpinBox::up-arrow { image: url("$icons/chevron-up-$scheme.svg");
    width: ${px10}px; height: ${px10}px; }
QAbstractSpinBox::down-arrow { image: url("$icons/chevron-down-$scheme.svg");
    width: ${px10}px; height: ${px10}px; }
QCheckBox::indicator, QRadioButton::indicator, QListView::indicator, QTableView::indicator,
QTreeView::indicator {
    width: ${px14}px; height: ${px14}px; border: ${px1}px solid $control; background: $card;
    border-radius: ${px3}px; }
QRadioButton::indicator { border-radius: ${px7}px; }
QCheckBox::indicator:checked, QListView::indicator:checked, QTableView::indicator:checked,
QTreeView::indicator:checked {
    image: url("$icons/check.svg"); background: $accent; border-color: $accent; }
QRadioButton::indicator:checked { image: url("$icons/dot.svg"); background: $accent;
    border-color: $accent; }
QCheckBox, QRadioButton { spacing: ${px8}px; padding: ${px2}px; border: ${px1}px solid transparent;
    border-radius: ${px4}px; background: transparent; }
QCheckBox:focus, QRadioButton:focus { border: ${px1}px solid $focus; }

QDialogButtonBox { button-layout: 3; dialogbuttonbox-buttons-have-icons: 0; }
QFileDialog QToolButton, QFileDialog QToolButton:focus { padding: ${px2}px; }
QMenuBar { background: $card; padding: 0 ${px8}px; menubar-altkey-navigation: 0; }
QMenuBar::item { background: transparent; color: $muted; padding: ${px3}px ${px8}px;
    border-radius: ${px4}px; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $selection; color: $text; }
QMenu { background: $card; border: ${px1}px solid $border; padding: ${px4}px; menu-scrollable: 1; }
QMenu::item { padding: ${px6}px ${px24}px ${px6}px ${px12}px; border-radius: ${px4}px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: ${px1}px; background: $border; margin: ${px4}px ${px8}px; }

QProgressBar { background: $track; border: none; border-radius: ${px3}px; max-height: ${px6}px;
    min-height: ${px6}px; }
QProgressBar::chunk { background: $accent; border-radius: ${px3}px; }
QProgressBar[role="adjusted"]::chunk { background: $adjusted_fill; }

QListView, QTableView, QTreeView { background: $card; border: none; outline: none;
    selection-background-color: $selection; selection-color: $text; gridline-color: $border; }
QListView:focus, QTableView:focus, QTreeView:focus { border: ${px1}px solid $focus; }
QTableView QTableCornerButton::section { background: $card; border: none; }
QHeaderView { background: $card; border: none; }
QHeaderView::section { background: $card; color: $muted; border: none; padding: ${px5}px ${px6}px;
    border-bottom: ${px1}px solid $border; font-weight: 400; }

QTableView::item { padding: 0 ${px3}px; }
QFrame[kind="floating"] QAbstractItemView { border: ${px1}px solid $border;
    border-radius: ${px6}px; padding: ${px2}px; }
QFrame[kind="floating"] QAbstractItemView:focus { border-color: $focus; }
QFrame[kind="floating"] QAbstractItemView::item { padding: ${px3}px ${px4}px;
    border-radius: ${px4}px; }
QFrame[kind="floating"] QAbstractItemView::item:selected { background: $selection; color: $text; }
QListView[kind="suggestions"] { border: ${px1}px solid $control; padding: ${px2}px; }
QListView[kind="suggestions"]::item { padding: ${px4}px ${px6}px; }
QTabWidget::pane { border: none; border-top: ${px1}px solid $border; }
QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $muted; border: ${px2}px solid transparent;
    padding: ${px6}px ${px12}px; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom-color: $focus; }
QTabBar::tab:focus { border-color: $focus; }

QScrollArea { background: transparent; border: none; }
QScrollArea[kind="reading"] { border: ${px1}px solid transparent; border-radius: ${px4}px; }
QScrollArea[kind="reading"]:focus { border: ${px1}px solid $focus; }
QScrollArea > QWidget#qt_scrollarea_viewport { background: transparent; }
QScrollArea > QWidget > QWidget[kind="scrolled"] { background: transparent; }
QScrollBar:vertical { background: transparent; width: ${px10}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${px10}px; margin: 0; }
QScrollBar::handle { background: $control; border-radius: ${px3}px; margin: ${px2}px; }
QScrollBar::handle:vertical { min-height: ${px28}px; }
QScrollBar::handle:horizontal { min-width: ${px28}px; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QSplitter::handle { background: $border; }
QSplitter::handle:horizontal { width: ${px1}px; }
QSplitter::handle:vertical { height: ${px1}px; }
""")


def style_sheet(roles: dict[str, str], sizes: dict[str, str]) -> str:
    """Fill the style sheet with colours by role and sizes in pixels."""
    return _SHEET.substitute(roles | sizes)
