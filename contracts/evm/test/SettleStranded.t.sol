// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Authorization, AuthorizationKind, TokenConfig} from "../src/PaymentTypes.sol";
import {Fixture} from "./Fixture.sol";
import {HonestWallet} from "./mocks/Wallets.sol";

contract SettleStrandedTest is Fixture {
    Authorization internal stranded;
    bytes internal signature;

    function setUp() public override {
        super.setUp();
        stranded = _authorization(payer, 10_000);
        signature = _signature(PAYER_KEY, stranded);
        vm.prank(stranger);
        _submitDirectly(stranded, signature, address(processor));
    }

    function _settleStranded(uint64 code, uint256 settled) internal {
        vm.prank(recovery);
        processor.settleStranded(address(token), code, PLAIN, stranded, settled, signature);
    }

    function test_theOperatorsOwnCallFailsAndRecoveryCompletesTheWhole() public {
        vm.prank(operator);
        vm.expectPartialRevert(PullFailed.selector);
        processor.payWithSignature(address(token), 5, PLAIN, stranded, signature);
        vm.expectEmit(address(processor));
        emit StrandedSettled(5, payer, address(token), stranded.nonce);
        vm.expectEmit(address(processor));
        emit PaymentSettled(5, payer, address(token), PLAIN, 10_000, 10_000, 50);
        _settleStranded(5, 10_000);
        assertEq(token.balanceOf(merchant), 9_950);
        assertEq(_processorBalance(), 0);
        assertTrue(processor.isSettled(5));
    }

    function test_anUptoPaymentIsCompletedWithItsRefund() public {
        _settleStranded(5, 4_000);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), 4_000);
        assertEq(token.balanceOf(payer), FUNDS - 4_000);
    }

    function test_itWorksAfterTheWindowHasEnded() public {
        vm.warp(stranded.validBefore + 1 days);
        _settleStranded(5, 10_000);
    }

    function test_itWorksForATokenThatWasSwitchedOff() public {
        vm.prank(admin);
        processor.configureToken(address(token), TokenConfig(false, 200_000, CAP, CAP));
        _settleStranded(5, 10_000);
    }

    function test_aContractWalletsMoneyIsRecoveredToo() public {
        address wallet = address(new HonestWallet(payer));
        token.mint(wallet, 700);
        Authorization memory a = _authorization(wallet, 700);
        bytes memory signed = _signature(PAYER_KEY, a);
        _submitDirectly(a, signed, address(processor));
        vm.prank(recovery);
        processor.settleStranded(address(token), 5, PLAIN, a, 700, signed);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), 700);
    }

    function test_neitherAnIntentNorAnAuthorizationIsCompletedTwice() public {
        token.mint(address(processor), 50_000);
        _settleStranded(5, 10_000);
        vm.startPrank(recovery);
        vm.expectRevert(abi.encodeWithSelector(IntentAlreadySettled.selector, 5));
        processor.settleStranded(address(token), 5, PLAIN, stranded, 10_000, signature);
        vm.expectPartialRevert(AlreadyRecovered.selector);
        processor.settleStranded(address(token), 6, PLAIN, stranded, 10_000, signature);
        vm.expectPartialRevert(AlreadyRecovered.selector);
        processor.returnStranded(address(token), stranded, signature);
        vm.stopPrank();
    }

    function test_itNeverTouchesEscrow() public {
        _settleStranded(5, 10_000);
        token.setBlacklisted(merchant, true);
        _settle(_one(_group(PLAIN, 1, 100, 20_000, 20_000)));
        token.mint(address(processor), 5_000);
        Authorization memory a = _authorization(payer, 6_000);
        bytes memory signed = _signature(PAYER_KEY, a);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(SurplusTooSmall.selector, 5_000, 6_000));
        processor.settleStranded(address(token), 6, PLAIN, a, 6_000, signed);
    }

    function test_anUnusedAuthorizationIsRefused() public {
        Authorization memory a = _authorization(payer, 500);
        bytes memory signed = _signature(PAYER_KEY, a);
        vm.prank(recovery);
        vm.expectRevert(abi.encodeWithSelector(AuthorizationNotUsed.selector, payer, a.nonce));
        processor.settleStranded(address(token), 5, PLAIN, a, 500, signed);
    }

    function test_fieldsThatThePayerDidNotSignAreRefused() public {
        stranded.value = 9_999;
        vm.prank(recovery);
        vm.expectRevert(InvalidSignature.selector);
        processor.settleStranded(address(token), 5, PLAIN, stranded, 9_999, signature);
    }

    function test_aReceiveAuthorizationCannotStrand() public {
        stranded.kind = AuthorizationKind.Receive;
        vm.prank(recovery);
        vm.expectRevert(AuthorizationCannotStrand.selector);
        processor.settleStranded(address(token), 5, PLAIN, stranded, 10_000, signature);
    }

    function test_amountsPayoutAndTokenAreChecked() public {
        vm.startPrank(recovery);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 10_001, 10_000));
        processor.settleStranded(address(token), 5, PLAIN, stranded, 10_001, signature);
        vm.expectRevert(abi.encodeWithSelector(AmountOutOfRange.selector, 0, 10_000));
        processor.settleStranded(address(token), 5, PLAIN, stranded, 0, signature);
        vm.expectRevert(abi.encodeWithSelector(PayoutInactive.selector, 99));
        processor.settleStranded(address(token), 5, 99, stranded, 10_000, signature);
        vm.expectRevert(abi.encodeWithSelector(TokenNotEnabled.selector, stranger));
        processor.settleStranded(stranger, 5, PLAIN, stranded, 10_000, signature);
        vm.stopPrank();
    }

    function testFuzz_everyUnitIsAccountedFor(uint256 settled) public {
        settled = bound(settled, 1, 10_000);
        _settleStranded(5, settled);
        assertEq(token.balanceOf(merchant) + token.balanceOf(feeTo), settled);
        assertEq(token.balanceOf(payer), FUNDS - settled);
        assertEq(_processorBalance(), 0);
    }
}
